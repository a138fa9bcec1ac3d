"""`--pyodide cdn`: Pyodide, NumPy and matplotlib from Pyodide's own network, the rest from here.

A smaller site to publish, and matplotlib draws there; it needs that network. It cannot be tried
where only package registries can be reached, so the tests see to the addresses and no more.
"""

VERSION = "0.27.7"
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
WANTED = ("numpy", "matplotlib")
# Stands for Pyodide's own entry, which it loads. Pyodide takes every package from one place; here
# each gets a whole address, so that ours come from this site.
ENTRY = f"""\
import {{ loadPyodide as load }} from "{ADDRESS}pyodide.mjs";

export async function loadPyodide(options) {{
  const answer = await fetch(new URL("pyodide-lock.json", import.meta.url));
  const lock = await answer.json();
  for (const entry of Object.values(lock.packages))
    entry.file_name = new URL(entry.file_name, import.meta.url).href;
  const lockFileURL = URL.createObjectURL(new Blob([JSON.stringify(lock)]));
  return load({{ ...options, indexURL: "{ADDRESS}", lockFileURL }});
}}
"""


def packages(lock):
    """{name: entry} of what is wanted and what it depends on, out of Pyodide's list of packages."""
    found, asked = {}, list(WANTED)
    while asked:
        name = asked.pop()
        if name not in found:
            entry = lock["packages"][name]
            found[name] = {**entry, "file_name": ADDRESS + entry["file_name"]}
            asked += entry["depends"]
    return found
