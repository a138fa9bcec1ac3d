// A link from the book names a heading, as in ?path=03-weigh-outputs.ipynb#Weigh-with-ones, and
// JupyterLite opens the lesson at its top: go on to the heading when the lesson is there.
const place = decodeURIComponent(location.hash);
const begun = Date.now();

function goOn() {
  const lesson = window.jupyterapp?.shell.currentWidget;
  const heading = [...document.querySelectorAll("[data-jupyter-id]")].find(
    (one) => "#" + one.getAttribute("data-jupyter-id") === place);
  if (lesson?.context?.isReady && heading) lesson.content.setFragment(place);
  else if (Date.now() - begun < 60000) setTimeout(goOn, 200);
}

if (place) goOn();
