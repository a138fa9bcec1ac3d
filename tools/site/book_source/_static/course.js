// What the book's pages add to their theme. Without it all of them can be read.

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
