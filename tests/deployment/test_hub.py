"""A real JupyterHub on this machine, as deploy/ sets it up: five learners, two of them hostile.

Then the five work through the exercises of lesson 03, in copies of a class folder, and what they
hand in is collected.

It makes users of the system and runs only where that may be done and is asked for: as root, in CI
or with MINIGRAD_HUB_TEST=1. They are gone afterwards.
"""

import json
import os
import pwd
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

import psutil
import pytest
import yaml
from websocket import create_connection

from deploy.link import link
from tools import class_folder, collect

ROOT = Path(__file__).resolve().parents[2]
WANTED = os.environ.get("CI") or os.environ.get("MINIGRAD_HUB_TEST")
LEARNERS = [f"mg-learner-{k}" for k in range(1, 6)]
GOOD, HOSTILE = LEARNERS[:3], LEARNERS[3:]


def address_of_its_own():
    """An address of this machine that no other process uses, so that no port there is taken.

    A hub, its proxy and each learner's server have a port each; JupyterHub looks for free ones and
    binds them later. Linux, where alone this test runs, has all of 127.0.0.0/8 for itself.
    """
    return "127.{}.{}.{}".format(*(os.getpid().to_bytes(4, "big")[1:]))


class Hub:
    """What a learner's browser does, in a few requests."""

    def __init__(self, address, token):
        self.address, self.admin = address, token
        self.tokens = {}

    def ask(self, method, path, token, body=None):
        """(status, answer) of a request."""
        request = urllib.request.Request(self.address + path, method=method)
        request.add_header("Authorization", f"token {token}")
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=60) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as refused:
            return refused.code, None

    def come(self, name):
        """A learner logs in: their server is started, they get a token of their own."""
        assert self.ask("POST", f"/hub/api/users/{name}", self.admin, {})[0] == 201
        _, made = self.ask("POST", f"/hub/api/users/{name}/tokens", self.admin, {})
        self.tokens[name] = made["token"]
        assert self.ask("POST", f"/hub/api/users/{name}/server", self.admin, {})[0] in (201, 202)

    def wait_for(self, name):
        """Until the hub says that a learner's server is ready, or how it failed."""
        request = urllib.request.Request(f"{self.address}/hub/api/users/{name}/server/progress")
        request.add_header("Authorization", f"token {self.admin}")
        with urllib.request.urlopen(request, timeout=120) as events:
            told = [line.decode() for line in events if line.startswith(b"data:")]
        assert json.loads(told[-1].removeprefix("data:")).get("ready"), "".join(told)

    def put(self, name, path, notebook):
        """Lay a notebook into a learner's home, as who uploads it."""
        at, token = f"/user/{name}/api/contents/{path}", self.tokens[name]
        body = {"type": "notebook", "format": "json", "content": notebook}
        assert self.ask("PUT", at, token, body)[0] in (200, 201)

    def get(self, name, path):
        """A text file in a learner's home."""
        at = f"/user/{name}/api/contents/{path}?type=file&format=text"
        return self.ask("GET", at, self.tokens[name])[1]["content"]

    def run(self, name, program):
        """What a program prints in a kernel of this learner's."""
        at, token = f"/user/{name}/api/kernels", self.tokens[name]
        status, kernel = self.ask("POST", at, token, {"name": "python3"})
        assert status == 201
        place = self.address.replace("http", "ws") + f"{at}/{kernel['id']}/channels"
        channel = create_connection(place, header=[f"Authorization: token {token}"], timeout=60)
        header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "username": name}
        header |= {"session": uuid.uuid4().hex, "version": "5.3", "date": "2026-01-01T00:00:00Z"}
        content = {"code": program, "silent": False, "store_history": False, "stop_on_error": True}
        content |= {"user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        channel.send(json.dumps({**message, "channel": "shell", "buffers": []}))
        printed = ""
        while True:
            told = json.loads(channel.recv())
            if told["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            if told["msg_type"] == "stream":
                printed += told["content"]["text"]
            if told["msg_type"] == "error":
                printed += f"{told['content']['ename']}: {told['content']['evalue']}"
            if told["msg_type"] == "status" and told["content"]["execution_state"] == "idle":
                channel.close()
                return printed


def python_for_all(place):
    """The environment of a learner's server. Where this Python lies in root's own folder, that is
    the system's Python of the same version with the packages of this one; None if there is none."""
    ours = Path(sys.executable).resolve()
    if all(folder.stat().st_mode & 0o005 == 0o005 for folder in ours.parents):
        return {}
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    system = Path("/usr/bin") / name
    if not system.exists():
        return None
    prefix, scripts = Path(sys.prefix), place / "bin"
    scripts.mkdir()
    for script, module in {
        "python": "",
        "jupyterhub-singleuser": "-m jupyterhub.singleuser",
    }.items():
        (scripts / script).write_text(f'#!/bin/bash\nexec {system} {module} "$@"\n')
        (scripts / script).chmod(0o755)
    return {
        "PATH": f"{scripts}:/usr/bin:/bin",
        "PYTHONPATH": f"{ROOT}:{prefix / 'lib' / name / 'site-packages'}",
        "JUPYTER_PATH": str(prefix / "share" / "jupyter"),
        "JUPYTERLAB_DIR": str(prefix / "share" / "jupyter" / "lab"),
    }


def end_processes(name):
    """A user of whom a process still runs cannot be deleted."""
    theirs = [one for one in psutil.process_iter(["username"]) if one.info["username"] == name]
    for one in theirs:
        one.kill()
    psutil.wait_procs(theirs, timeout=60)


@pytest.fixture(scope="module")
def hub():
    if not WANTED or os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip("makes users of the system: as root, with MINIGRAD_HUB_TEST=1")
    place, token, host = Path(tempfile.mkdtemp()), secrets.token_hex(16), address_of_its_own()
    place.chmod(0o755)
    environment = python_for_all(place)
    if environment is None:
        pytest.skip("Python lies where only root may run it")
    for name in LEARNERS:
        subprocess.run(["useradd", "--create-home", "--shell", "/bin/bash", name], check=True)
    config = place / "hub.py"
    config.write_text(
        f"load_subconfig({str(ROOT / 'deploy' / 'jupyterhub_config.py')!r})\n"
        "c.JupyterHub.authenticator_class = 'dummy'\n"
        f"c.Spawner.environment.update({environment!r})\n"
        f"c.JupyterHub.hub_ip = c.Spawner.ip = {host!r}\n"
        f"c.ConfigurableHTTPProxy.api_url = 'http://{host}:8001'\n"
        f"c.JupyterHub.services.append({{'name': 'test', 'api_token': {token!r}}})\n"
        "c.JupyterHub.load_roles.append({'name': 'test', 'services': ['test'], 'scopes':"
        " ['admin:users', 'admin:servers', 'tokens']})\n"
    )
    address = f"http://{host}:8000"
    log = (place / "log.txt").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterhub", "-f", config],
        cwd=place,
        stdout=log,
        stderr=subprocess.STDOUT,
        env={**os.environ, "MINIGRAD_HUB": address, "MINIGRAD_MEMORY_MB": "2000"},
    )
    try:
        hub = Hub(address, token)
        for _ in range(600):  # a busy machine takes its time to start it
            try:
                if hub.ask("GET", "/hub/api/", token)[0] == 200:
                    break
            except OSError:
                assert process.poll() is None, (place / "log.txt").read_text()
            time.sleep(0.5)
        for name in LEARNERS:
            hub.come(name)
        for name in LEARNERS:
            hub.wait_for(name)
        yield hub
    finally:
        process.terminate()
        process.wait(60)
        for name in LEARNERS:
            end_processes(name)
            subprocess.run(["userdel", "--remove", name], check=False, capture_output=True)
        shutil.rmtree(place)


def test_each_learner_has_copies_of_their_own_and_computes(hub):
    program = (
        "import os, minigrad as torch\n"
        "a = torch.tensor([1., 2., 3.], requires_grad=True)\n"
        "(a * a).backward(a)\n"
        "print(os.getcwd(), a.grad.tolist(), os.environ['OMP_NUM_THREADS'])"
    )
    for name in GOOD:
        home = pwd.getpwnam(name).pw_dir
        status, listed = hub.ask(
            "GET", f"/user/{name}/api/contents/my-lessons?type=directory", hub.tokens[name]
        )
        assert status == 200 and "03-weigh-outputs.ipynb" in [f["name"] for f in listed["content"]]
        assert hub.run(name, program).strip() == f"{home} [2.0, 8.0, 18.0] 1"


def test_no_learner_reads_anothers_files(hub):
    hub.run(GOOD[0], "open('secret.txt', 'w').write('my answers')")
    home = pwd.getpwnam(GOOD[0]).pw_dir
    for name in HOSTILE:
        said = hub.run(name, f"print(open({home + '/secret.txt'!r}).read())")
        assert said.startswith("PermissionError") and "my answers" not in said
        said = hub.run(name, f"import os; print(os.listdir({home!r}))")
        assert said.startswith("PermissionError")


def test_no_learner_reaches_anothers_server_or_kernel(hub):
    victim = GOOD[1]
    hub.run(victim, "answer = 42")
    homes = str(Path(pwd.getpwnam(victim).pw_dir).parent)
    for name in HOSTILE:
        for path in ("api/contents", "api/kernels", "lab"):
            assert hub.ask("GET", f"/user/{victim}/{path}", hub.tokens[name])[0] in (403, 404)
        status, _ = hub.ask("POST", f"/user/{victim}/api/kernels", hub.tokens[name], {})
        assert status in (403, 404)
        spy = (
            "import glob\n"
            f"seen = glob.glob({homes + '/*/.local/share/jupyter/runtime/*'!r})\n"
            f"print([path for path in seen if not path.startswith({homes + '/' + name + '/'!r})])\n"
            "others = []\n"
            "for path in glob.glob('/proc/[0-9]*/environ'):\n"
            "    try:\n"
            "        text = open(path, 'rb').read()\n"
            "    except OSError:\n"
            "        continue\n"
            "    others += [text] * (b'" + victim.encode().decode() + "' in text)\n"
            "print(len(others))"
        )
        assert hub.run(name, spy).split() == ["[]", "0"]


def test_a_program_that_takes_all_memory_stops_alone(hub):
    taken = "kept = []\nwhile len(kept) < 80: kept.append(b'x' * 50_000_000)\nprint('all of it')"
    assert hub.run(HOSTILE[0], taken).startswith("MemoryError")
    assert hub.run(GOOD[2], "print(6 * 7)").strip() == "42"


# What five learners do in lesson 03: their guesses, and their answers to its exercises in turn.
GUESSES = {
    "03-b": [
        "[[2, 8, 18], [32, 50, 72]]",
        *["[[2, 4, 6], [8, 10, 12]]"] * 3,
        "[[1, 4, 9], [16, 25, 36]]",
    ],
    "03-cube": ["12", "8", "8", "12", "12"],
}
ANSWERS = {
    "03-1": [
        ["6 / a"],
        ["torch.ones(2, 3)", "6 / a"],
        ["12 / a", "6 / a"],
        ["torch.ones(2, 3)"],
        [],
    ],
    "03-3": [["torch.eye(3)[1]"]] * 3 + [["torch.eye(3)[2]", "torch.eye(3)[1]"], ["torch.ones(3)"]],
}
SUM = "def f(g, x, v):\n    {}\n    ({}).sum().backward()\n    return x.grad"
CLEARS, DOES_NOT = SUM.format("x.grad = None", "g(x) * v"), SUM.format("pass", "g(x) * v")
IGNORES = SUM.format("x.grad = None", "g(x)")
FUNCTIONS = [[CLEARS], [DOES_NOT, CLEARS], [DOES_NOT], [DOES_NOT], [IGNORES, CLEARS]]


def test_a_class_hands_in_and_its_lecturer_sees_where_it_went_wrong(hub, tmp_path):
    class_folder.make_class(tmp_path / "class")
    lesson = json.loads((tmp_path / "class/notebooks/03-weigh-outputs.ipynb").read_text("utf-8"))
    handed_in = tmp_path / "handed in"
    handed_in.mkdir()
    for k, name in enumerate(LEARNERS):
        hub.put(name, "03-weigh-outputs.ipynb", lesson)
        done = [f"predict({card!r}).model.commit({said[k]!r})" for card, said in GUESSES.items()]
        for exercise, said in ANSWERS.items():
            done += [f"check({exercise!r}, {answer})" for answer in said[k]]
        for function in FUNCTIONS[k]:
            done += [function, "check('03-2', f)"]
        # the first cell is the lesson's own, and the cards and checks are those it asks
        first = next("".join(c["source"]) for c in lesson["cells"] if c["cell_type"] == "code")
        asked = "".join("".join(cell["source"]) for cell in lesson["cells"])
        assert all(f'"{one}"' in asked for one in (*GUESSES, *ANSWERS, "03-2"))
        handed = (
            f"from minigrad.classroom import progress\nprint(progress.export('Learner {k}').name)"
        )
        a = "a = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)"
        file = hub.run(name, "\n".join([first, a, *done, handed])).strip()
        assert file == f"minigrad-Learner-{k}.json"
        (handed_in / file).write_text(hub.get(name, file), encoding="utf-8")
    told = subprocess.run(
        [sys.executable, "-m", "tools.collect", handed_in],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    learners, problems = collect.read(handed_in)
    assert [one.name for one in learners] == [f"Learner {k}" for k in range(5)] and not problems
    found = {row.name: (row.tried, row.at_once, row.right) for row in collect.rows(learners)}
    assert found == {
        "03-b": (5, 1, 1),
        "03-2": (5, 1, 3),
        "03-1": (4, 1, 3),
        "03-cube": (5, 3, 3),
        "03-3": (5, 3, 4),
    }
    assert list(found)[:2] == ["03-2", "03-b"]  # the hardest first
    page = (handed_in / "class.html").read_text(encoding="utf-8")
    for words in ("3 said [[2, 4, 6], [8, 10, 12]]", "3 told: The old .grad was still there"):
        assert words in page and words in " ".join(told.stdout.split())
    if place := os.environ.get("MINIGRAD_HUB_PAGE"):  # to be looked at
        shutil.copy(handed_in / "class.html", place)


def test_the_configuration_is_one_that_jupyterhub_reads(tmp_path):
    shown = subprocess.run(
        [
            sys.executable,
            "-m",
            "jupyterhub",
            "--show-config",
            "-f",
            ROOT / "deploy/jupyterhub_config.py",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert shown.returncode == 0 and "idle-culler" in shown.stdout + shown.stderr
    assert "--KernelManager.transport=ipc" in shown.stdout + shown.stderr


def test_the_values_for_kubernetes_can_be_read():
    values = yaml.safe_load((ROOT / "deploy" / "zero-to-jupyterhub.yaml").read_text("utf-8"))
    assert values["singleuser"]["extraEnv"] == {"OMP_NUM_THREADS": "1"}
    assert values["singleuser"]["memory"] == {"guarantee": "512M", "limit": "1G"}
    assert values["cull"]["enabled"] and values["prePuller"]["continuous"]["enabled"]


def test_the_link_opens_the_first_page_of_the_folder():
    made = link("https://hub.example.org/", "https://github.com/me/course.git", "v1")
    assert made == (
        "https://hub.example.org/hub/user-redirect/git-pull?repo=https%3A%2F%2Fgithub.com%2Fme%2F"
        "course.git&branch=v1&urlpath=lab%2Ftree%2Fcourse%2Fnotebooks%2Findex.ipynb"
    )
    with pytest.raises(ValueError, match="not a web address"):
        link("hub", "https://github.com/me/course")
