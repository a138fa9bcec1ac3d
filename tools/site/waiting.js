// What is being waited for, until the first cell can run: JupyterLab, then Python. The bar goes by the
// seconds that the last visit took, for neither of the two says how far it is.
const KEPT = "minigrad-seconds-to-ready", USUAL = 10;
const usual = Number(localStorage.getItem(KEPT)) || USUAL;
const seconds = () => performance.now() / 1000;
const bar = document.createElement("div");
bar.setAttribute("role", "status");
bar.style.cssText = "position: fixed; z-index: 10000; left: 0; right: 0; bottom: 0; padding: 6px 16px 8px;"
  + "font: 14px/20px system-ui, sans-serif; color: #14171a; background: #eff1f4; border-top: 1px solid #6f767d";
bar.innerHTML = '<span></span><progress max="1" aria-label="starting" '
  + 'style="display: block; width: 100%; height: 6px; accent-color: #6a3fa0"></progress>';
const [label, progress] = bar.children;

function look() {
  const app = window.jupyterapp, widget = app?.shell.currentWidget;
  const kernel = widget?.sessionContext?.session?.kernel;
  if (kernel?.status === "idle") return end(true);
  if (seconds() > 120 || (widget && !widget.sessionContext)) return end(false);
  const text = widget ? "2 of 2: Python is starting in this browser. Nothing is installed."
    : "1 of 2: JupyterLab is loading, and Python beside it.";
  if (label.textContent !== text) label.textContent = text;
  progress.value = Math.min(0.97, seconds() / usual);
  setTimeout(look, 200);
}

function end(ready) {
  if (ready) localStorage.setItem(KEPT, seconds().toFixed(1));
  bar.remove();
}

document.body.append(bar);
look();
