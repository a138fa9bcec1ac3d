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
