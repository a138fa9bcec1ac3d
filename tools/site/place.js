// A link from the book names a heading, as in ?path=03-weigh-outputs.ipynb#Edit-v-yourself, and
// JupyterLite opens the lesson at its top: go on to the heading when the lesson is there.
const place = decodeURIComponent(location.hash);
const begun = Date.now();

function goOn() {
  const lesson = window.jupyterapp?.shell.currentWidget;
  const heading = [...document.querySelectorAll("[data-jupyter-id]")].find(
    (one) => "#" + one.getAttribute("data-jupyter-id") === place);
  if (lesson?.context?.isReady && heading) arrive(lesson.content, heading);
  else if (Date.now() - begun < 60000) setTimeout(goOn, 200);
}

// The heading's cell becomes the one that Shift+Enter runs. Python has just begun and knows nothing of
// the cells above, not even `torch`: offer to run them, for the first cell here may need them all.
function arrive(notebook, heading) {
  notebook.setFragment(place);
  const here = notebook.widgets.findIndex((cell) => cell.node.contains(heading));
  notebook.activeCellIndex = here;
  if (!notebook.widgets.slice(0, here).some((cell) => cell.model.type === "code")) return;
  window.jupyterapp.commands.execute("apputils:notify", {
    message: "Python starts afresh here. The cells below may need what the cells above define.",
    type: "info",
    options: { autoClose: false,
      actions: [{ label: "Run all cells above", commandId: "notebook:run-all-above" }] } });
}

if (place) goOn();
