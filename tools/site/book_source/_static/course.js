// What the book's pages add to their theme. Without it all of them can be read.

// The live page can open at a heading, under the name that Jupyter gives it.
const button = document.querySelector("a.course-run");
for (const heading of button ? document.querySelectorAll(".bd-article h2") : []) {
  const name = [...heading.childNodes].filter((node) => !node.classList?.contains("headerlink"))
    .map((node) => node.textContent).join("").replaceAll(" ", "-");
  const link = Object.assign(document.createElement("a"), { className: "course-here",
    href: button.href + "#" + encodeURIComponent(name), textContent: "run from here" });
  heading.append(link);
}

// Whoever is about to press "Run this page here" gets what that will need while they make up their
// mind: Python and its packages, 15 MB, so not before, and not where data is to be saved.
let isAhead = false;
async function fetchAhead() {
  if (isAhead || navigator.connection?.saveData) return;
  isAhead = true;
  const place = new URL(button.href.replace(/live\/.*/, "live/static/pyodide/"));
  try {
    const { packages } = await (await fetch(new URL("pyodide-lock.json", place))).json();
    const files = ["pyodide.asm.wasm", "pyodide.asm.js", "pyodide.mjs", "python_stdlib.zip",
      ...Object.values(packages).map((one) => one.file_name)];
    for (const file of files) {
      document.head.append(Object.assign(document.createElement("link"),
        { rel: "prefetch", href: new URL(file, place) }));
    }
  } catch { isAhead = false; }  // no live course beside this book
}
for (const hint of ["pointerenter", "focus", "touchstart"]) {
  button?.addEventListener(hint, fetchAhead, { passive: true });
}

// Behind a fold nothing has a width. Once it opens, the theme looks again for what scrolls, so that
// the keyboard can reach it.
document.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")), true);

// On paper folds are open. (Newer browsers do it by the style alone, without a script.)
const folds = () => document.querySelectorAll("details.course-answer");
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...folds()].filter((fold) => !fold.open);
  for (const fold of closed) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of closed) fold.open = false;
});
