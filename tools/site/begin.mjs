// Python begins with its worker. JupyterLite asks for it only when a lesson is shown; until then
// JupyterLab is loading in the page, and Python starts beside it.
import { loadPyodide as load } from "./pyodide.mjs";
import { AHEAD, OPTIONS } from "./options.mjs";  // written by live.py

const heard = {};  // who hears what Python prints while it starts: JupyterLite, once it has asked
let isAsked = false;

const begun = load({
  indexURL: new URL("./", import.meta.url).href,
  stdout: (line) => heard.stdout?.(line),
  stderr: (line) => heard.stderr?.(line),
  ...OPTIONS,
});

// What the kernel and the first cell import, while nobody waits for anything else.
async function importAhead(python) {
  for (const name of AHEAD) {
    await new Promise((resume) => setTimeout(resume));  // a question that has come is heard here
    if (isAsked) return;
    python.runPython(`import ${name}`);
  }
}

self.addEventListener("message", () => { isAsked = true; }, { once: true });
begun.then(importAhead).catch(() => {});  // whoever asks is told by the same error

export function loadPyodide({ stdout, stderr }) {
  Object.assign(heard, { stdout, stderr });
  return begun;
}
