// node compile.mjs FOLDER PROGRAM NAME ...: archives in a folder with Pyodide, compiled by that
// Pyodide. PROGRAM is the source of bytecode.py's compile_archive.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, program, ...names] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${folder}/`, env: { PYTHONHASHSEED: "0" } });
python.runPython(program);
const compile = python.globals.get("compile_archive");
for (const name of names) {
  python.FS.writeFile("/given", fs.readFileSync(`${folder}/${name}`));
  compile("/given", "/made", name.startsWith("minigrad"));
  fs.writeFileSync(`${folder}/${name}`, python.FS.readFile("/made"));
}
