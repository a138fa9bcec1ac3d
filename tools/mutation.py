"""Mutation testing: which small changes to the engine does no test notice?

    pip install -e .[mutation]
    python -m tools.mutation [minigrad/ops/reduce.py ...] [--sample N] [--session FILE] ...

Cosmic Ray makes the mutants (`<` becomes `<=`, `2` becomes `3`, `and` becomes `or`, ...) and keeps
the results: `cr-report` and `cr-html` read the session file, and a run that was stopped goes on
where it was. What is done here is to try each mutant fast. Loading PyTorch and the tests takes
10 s, so it is done once, and every mutant gets a fork of that process. It lives there in memory
only: no file is changed. Each runs only the tests that reach the line in question, as one run under
coverage.py has shown, one of every test function first, until one fails. Needs `fork`: Linux or
macOS.

What runs on import (tables, defaults, decorators) was already done when a fork begins; for a mutant
of such a line the fork imports the engine once more, and the tests' names for it are renewed. Tests
that start another Python do not see a mutant.
"""

import argparse
import ast
import contextlib
import difflib
import gc
import hashlib
import importlib.machinery
import importlib.util
import os
import pickle
import random
import resource
import select
import signal
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import coverage
import pytest
from _pytest.runner import runtestprotocol
from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome, WorkItem, WorkResult
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[1]
STATE = ROOT / "test-results" / "mutation"  # git ignores it
ENGINE = [
    path
    for path in sorted((ROOT / "minigrad").rglob("*.py"))
    if "classroom" not in path.relative_to(ROOT).parts
]
OPTIONS = [
    "-q",
    "-s",
    "--tb=line",
    "-p",
    "no:cacheprovider",
    "-o",
    "addopts=",
    "--import-mode=importlib",
    "--hypothesis-profile=mutation",
]


def main():
    parser = argparse.ArgumentParser(
        "python -m tools.mutation", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("modules", nargs="*", help="what is mutated (all of the engine)")
    parser.add_argument(
        "--tests", nargs="+", default=["tests/engine"], help="what runs (tests/engine)"
    )
    parser.add_argument("--sample", type=int, help="so many mutants of a module, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    parser.add_argument(
        "--budget", type=float, default=10, help="seconds of tests a mutant gets (10)"
    )
    parser.add_argument(
        "--session", default=STATE / "session.sqlite", help="where results are kept"
    )
    parser.add_argument(
        "--again", action="store_true", help="try the survivors of the session again"
    )
    parser.add_argument("--report", action="store_true", help="only print what the session holds")
    chosen = parser.parse_args()
    STATE.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)
    paths = [Path(name).resolve() for name in chosen.modules] or ENGINE
    with use_db(chosen.session) as session:
        names = [str(path.relative_to(ROOT)) for path in paths]
        if not chosen.report:
            drawn = {work.mutations[0].module_path for work in session.work_items}
            for name in names:
                if Path(name) not in drawn:
                    session.add_work_items(mutants(name, chosen.sample, chosen.seed))
            if chosen.again:
                work = [
                    work for work, result in session.completed_work_items if not result.is_killed
                ]
            else:
                work = session.pending_work_items
            work = [w for w in work if str(w.mutations[0].module_path) in names]
            if work:
                try_all(work, chosen, session)
        print(report(session, names))


def mutants(name, sample, seed):
    """The mutants of a module: of the many replacements of one operator two are drawn."""
    draw, places = random.Random(f"{seed} {name}"), defaultdict(list)
    tree = get_ast_from_path(ROOT / name)
    for operator in operator_names():
        if get_operator(operator).arguments():
            continue  # those need names of variables
        positions = get_operator(operator)().mutation_positions
        spots = (spot for node in ast_nodes(tree) for spot in positions(node))
        for occurrence, (start, end) in enumerate(spots):
            made = MutationSpec(Path(name), operator, occurrence, start, end)
            places[start, operator.split("/")[1].split("_")[0]].append(made)
    found = [made for spot in places.values() for made in draw.sample(spot, min(2, len(spot)))]
    if sample is not None and len(found) > sample:
        found = draw.sample(found, sample)
    return [
        WorkItem.single(f"{name} {made.operator_name} {made.occurrence}", made) for made in found
    ]


def try_all(work, chosen, session):
    """Load the tests once, under the eyes of coverage.py, and try the mutants from there."""
    settings.register_profile(
        "mutation",
        deadline=None,
        derandomize=True,
        max_examples=10,
        phases=[Phase.explicit, Phase.generate],
    )
    warnings.simplefilter("ignore")  # `x is not 0`, says Python of some mutants
    on_import = coverage.Coverage(data_file=None, source=[str(ROOT / "minigrad")])
    on_import.start()
    campaign = Campaign(work, chosen, session, on_import)
    if pytest.main([*OPTIONS, *chosen.tests], plugins=[campaign]) not in (0, 5):
        sys.exit("The tests have to pass before mutants are tried.")


class Campaign:
    """The plugin that takes the place of pytest's loop over the tests."""

    def __init__(self, work, chosen, session, on_import):
        self.work, self.chosen, self.session, self.on_import = work, chosen, session, on_import
        self.unfit = set()  # tests that hold something of the engine from before a fresh start

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        for path in ENGINE:
            if path.name != "__main__.py":
                importlib.import_module(module_name(path.relative_to(ROOT)))
        self.on_import.stop()
        data = self.on_import.get_data()
        self.on_import = {name: set(data.lines(name)) for name in data.measured_files()}
        self.items = {item.nodeid: item for item in session.items}
        self.functions = defaultdict(list)
        gc.unfreeze()  # what others froze would not be listed
        for found in gc.get_objects():
            if isinstance(found, FunctionType) and found.__code__.co_filename.startswith(str(ROOT)):
                self.functions[found.__code__].append(found)
        self.reached, self.seconds = self.see_which_tests_reach_what()
        gc.collect()
        gc.freeze()  # what is not looked at is not copied in each fork
        for n, work in enumerate(self.work):
            (spec,) = work.mutations
            start = time.perf_counter()
            result = self.attempt(spec)
            if result is not None:
                self.session.set_result(work.job_id, result)
            said = result.test_outcome.value if result else "the same program"
            print(
                f"{n + 1}/{len(self.work)} {spec.module_path}:{spec.start_pos[0]} "
                f"{spec.operator_name.removeprefix('core/')}: {said} "
                f"({time.perf_counter() - start:.1f} s)",
                flush=True,
            )
        return True

    def see_which_tests_reach_what(self):
        """{file: {line: tests}}, and each test's seconds; kept until a source or test changes."""
        key = hashlib.sha256(repr(sorted(self.items)).encode())
        for path in [*ENGINE, *sorted((ROOT / "tests").rglob("*.py"))]:
            key.update(path.read_bytes())
        kept = STATE / f"reached-{key.hexdigest()[:16]}.pickle"
        if not kept.exists():
            print(f"\nseeing what each of {len(self.items)} tests reaches ...", flush=True)
            failed = in_fork(lambda: self.measure(kept), timeout=3600)
            if failed:
                raise pytest.UsageError(failed)
        reached, seconds = pickle.loads(kept.read_bytes())
        print(
            "left out, since they fail without mutants:",
            sorted({*self.items} - {*seconds}) or "none",
        )
        return reached, seconds

    def measure(self, kept):
        cover = coverage.Coverage(data_file=None, source=[str(ROOT / "minigrad")])
        cover.start()
        seconds, items = {}, list(self.items.values())
        for item, following in zip(items, [*items[1:], None]):
            cover.switch_context(item.nodeid)
            start = time.perf_counter()
            if not failure(item, following):  # a test that fails anyway cannot judge
                seconds[item.nodeid] = time.perf_counter() - start
        cover.stop()
        data = cover.get_data()
        reached = {
            name: {
                line: set(tests) & set(seconds)
                for line, tests in data.contexts_by_lineno(name).items()
            }
            for name in data.measured_files()
        }
        kept.write_bytes(pickle.dumps((reached, seconds)))
        return ""

    def attempt(self, spec):
        """Try one mutant; None if Python compiles it to the same program."""
        path = ROOT / spec.module_path
        source = path.read_text(encoding="utf-8")
        changed = mutate_code(source, get_operator(spec.operator_name)(), spec.occurrence)
        if changed is None:
            return WorkResult(WorkerOutcome.NO_TEST)
        try:
            old, new = compile(source, str(path), "exec"), compile(changed, str(path), "exec")
        except SyntaxError as error:
            return WorkResult(WorkerOutcome.NORMAL, str(error), TestOutcome.INCOMPETENT)
        pairs = differences(old, new)
        if not pairs:
            return None
        row = spec.start_pos[0]
        rows = statement_around(source, row)
        reached, on_import = self.reached.get(str(path), {}), self.on_import[str(path)]
        runs_on_import = on_import & set(rows) or not self.functions[pairs[0][0]]
        # a function in being takes no code with other names from around it
        anew = runs_on_import or any(old.co_freevars != new.co_freevars for old, new in pairs)
        lines = [line for line in reached if line not in on_import] if runs_on_import else rows
        tests = set().union(*(reached.get(line, ()) for line in lines))
        if anew:
            tests -= self.unfit
        tests = self.in_order(tests)
        expected = sum(self.seconds[test] for test in tests)
        if anew:
            name = module_name(spec.module_path)
            words = self.start_anew(name, path, new, tests, expected)
            if words and words.startswith("tests/"):  # does it pass on an engine that is only new?
                test = words.partition("\n")[0]
                if self.start_anew(name, path, old, [test], self.seconds[test]):
                    self.unfit.add(test)
                    return self.attempt(spec)
        else:
            words = in_fork(lambda: self.replace_and_run(pairs, tests), 10 + 3 * expected)
        outcome = TestOutcome.KILLED if words else TestOutcome.SURVIVED
        words = words or f"{len(tests)} tests reach it"
        diff = difflib.unified_diff(source.splitlines(), changed.splitlines(), n=0, lineterm="")
        lines = [line for line in diff if not line.startswith(("---", "+++", "@@"))]
        return WorkResult(WorkerOutcome.NORMAL, words, outcome, "\n".join(lines))

    def in_order(self, tests):
        """Tests for `budget` seconds: one of each test function first, and quick ones first."""
        seen, queue = defaultdict(int), []
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            function = test.partition("[")[0]
            queue.append((seen[function], self.seconds[test], test))
            seen[function] += 1
        chosen, left = [], self.chosen.budget
        for _, seconds, test in sorted(queue):
            if seconds <= left:
                left -= seconds
                chosen.append(test)
        return chosen

    def replace_and_run(self, pairs, tests):
        for old, new in pairs:
            for found in self.functions[old]:
                found.__code__ = new
        return self.run(tests)

    def start_anew(self, name, path, code, tests, expected):
        def begin():
            try:
                import_anew(name, path, code)
            except Exception as error:
                return f"import minigrad\n{error!r}"
            return self.run(tests)

        return in_fork(begin, 20 + 3 * expected)

    def run(self, tests):
        """The first failure of some tests, or nothing."""
        items = [self.items[test] for test in tests]
        found = (failure(*pair) for pair in zip(items, [*items[1:], None]))
        return next(filter(None, found), "")


def module_name(path):
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def failure(item, following):
    """Run a test; its name and what went wrong, or nothing."""
    for result in runtestprotocol(item, log=False, nextitem=following):
        if result.failed:
            return f"{item.nodeid}\n{result.longreprtext[-2000:]}"
    return ""


def differences(old, new):
    """The pairs of code objects, old and new, whose own instructions differ, outermost first."""
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    if len(inner[0]) != len(inner[1]):
        return [(old, new)]
    found = [pair for pairs in zip(*inner) for pair in differences(*pairs)]
    if found or own(old) != own(new):
        return [(old, new), *found] if old.co_flags & 1 or own(old) != own(new) else found
    return []


def own(code):
    """A code object without places in the text, and without the functions defined in it."""
    consts = tuple(c for c in code.co_consts if not isinstance(c, CodeType))
    return code.replace(co_linetable=b"", co_consts=consts)


def statement_around(source, row):
    """The lines of the innermost statement that holds a line; of a compound one its head."""
    best = range(row, row + 1)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= row <= node.end_lineno:
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if isinstance(body, list) else node.end_lineno
            if row <= end and node.lineno >= best.start - 1000:
                best = range(node.lineno, max(end, node.lineno) + 1)
    return best


def in_fork(call, timeout):
    """What `call()` returns, a text, in a fork of this process; else what became of that."""
    receiver, sender = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1), os.dup2(nowhere, 2)
            words = call()
            os.write(sender, b"=" + words.encode()[:4000])
        finally:
            os._exit(0)
    os.close(sender)
    ready, _, _ = select.select([receiver], [], [], timeout)
    words = os.read(receiver, 5000).decode(errors="replace") if ready else "=time is up"
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(receiver)
    return words[1:] if words else "the process ended"


def import_anew(name, path, code):
    """Import the engine again with one module's code replaced, also in the eyes of the tests."""
    loaded = [module for module in sys.modules if module.partition(".")[0] == "minigrad"]
    for module in loaded:
        del sys.modules[module]
    sys.meta_path.insert(0, Replaced(name, path, code))
    for module in loaded:
        importlib.import_module(module)
    for module in list(sys.modules.values()):
        if (getattr(module, "__file__", None) or "").startswith(str(ROOT / "tests")):
            for key, value in vars(module).items():
                vars(module)[key] = renewed(value)


def renewed(value):
    """What a name of the engine's stands for now."""
    if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == "minigrad":
        return sys.modules[value.__name__]
    home = getattr(value, "__module__", None) or ""
    if isinstance(value, (type, FunctionType)) and home.partition(".")[0] == "minigrad":
        return getattr(sys.modules[home], value.__qualname__, value)
    return value


class Replaced(importlib.machinery.SourceFileLoader):
    """Finds one module, and gives it other code than its file's."""

    def __init__(self, name, path, code):
        super().__init__(name, str(path))
        self.code = code

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def get_code(self, name):
        return self.code


def report(session, names):
    """The table of modules, and the survivors."""
    rows, survivors, total = [], [], [0, 0]
    results = defaultdict(list)
    for work, result in session.completed_work_items:
        results[str(work.mutations[0].module_path)].append((work.mutations[0], result))
    for name in names:
        found = sorted(results[name], key=lambda pair: pair[0].start_pos)
        alive = [(spec, result) for spec, result in found if not result.is_killed]
        if found:
            rows.append(row(name, len(found), len(alive)))
        total = [total[0] + len(found), total[1] + len(alive)]
        for spec, result in alive:
            survivors.append(f"{name}:{spec.start_pos[0]}, {result.output}\n{result.diff}")
    heads = ["| module | mutants | killed | survived | score |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*survivors, "", *heads, *rows, row("all", *total)])


def row(name, mutants, alive):
    return (
        f"| {name} | {mutants} | {mutants - alive} | {alive} | {1 - alive / max(mutants, 1):.1%} |"
    )


if __name__ == "__main__":
    main()
