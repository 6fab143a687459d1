"""Tests of brv for Windows, built by mingw and run in wine: what its users do first, and what only Windows does to files.

Wine is not Windows. What is different there for reasons of wine says so with `in wine`, and proves nothing of Windows.
"""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILT = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or HERE.parents[2] / "target") / "x86_64-pc-windows-gnu/dist"
COMPILER = "x86_64-w64-mingw32-gcc"
NAME = ["-c", "user.name=Bo", "-c", "user.email=bo@example.invalid"]
ENTRY = "---\ntitle: Tokens\n---\n\n## Facts\n\n- **lifetime**: 24 hours\n"


def missing():
    """Why the tests are skipped; `None` if they are not."""
    if platform.machine() != "x86_64":
        return "this machine cannot run programs of x86-64"
    programs = [name for name in (COMPILER, "wine", "wineserver", "git") if not shutil.which(name)]
    absent = [str(BUILT / name) for name in ("brv.exe", "git-brv.exe") if not (BUILT / name).is_file()]
    return f"there is no {' and no '.join(programs + absent)}" if programs or absent else None


class Machine:
    """An empty Windows with the programs in `C:\\bin`."""

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="brv-wine-"))
        for name in ("home", "prefix"):
            (self.root / name).mkdir()
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR")}
        # wine reads file names and arguments as the locale says
        self.env = {**kept, "HOME": str(self.root / "home"), "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
        self.env |= {"WINEPREFIX": str(self.root / "prefix"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
        self.drive = self.root / "prefix/drive_c"
        self.programs = self.drive / "bin"

    def prepare(self):
        # the server stays between two programs; what it starts for itself must not hold our pipes
        self.silently("wineserver", "-p")
        self.silently("wine", "wineboot", "-i")
        self.programs.mkdir()
        for name in ("brv.exe", "git-brv.exe"):
            shutil.copy2(BUILT / name, self.programs)
        self.call(COMPILER, "-shared", "-O1", "-o", self.programs / "bcryptprimitives.dll", HERE / "windows/random.c", "-ladvapi32")

    def silently(self, *words):
        none = subprocess.DEVNULL
        return subprocess.run(words, env=self.env, stdin=none, stdout=none, stderr=none, timeout=180, check=True)

    def call(self, *words, cwd=None):
        ran = subprocess.run(words, env=self.env, cwd=cwd or self.root, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
        assert ran.returncode == 0, f"{words}: {ran.stdout.decode()}{ran.stderr.decode()}"
        return ran.stdout.decode()

    def start(self, words, cwd, program="brv.exe", **more):
        pipe = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        return subprocess.Popen(["wine", self.programs / program, *words], env={**self.env, **more}, cwd=cwd, **pipe)

    def end(self):
        for word in ("-k", "-w"):
            subprocess.run(["wineserver", word], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        shutil.rmtree(self.root, ignore_errors=True)


def setUpModule():
    global machine
    if why := missing():
        raise unittest.SkipTest(why)
    machine = Machine()
    unittest.addModuleCleanup(machine.end)
    machine.prepare()


class Project:
    """A folder of the drive, with what a user does in it."""

    def __init__(self, test, name):
        self.test, self.folder = test, machine.drive / name
        self.folder.mkdir(parents=True)
        self.tree = self.folder / ".brv/context-tree"

    def run(self, *words, code=0, program="brv.exe", typed=b"", **more):
        """What a command says on both streams."""
        running = machine.start(words, self.folder, program, **more)
        told, said = (text.decode() for text in running.communicate(typed, timeout=180))
        codes = code if isinstance(code, tuple) else (code,)
        self.test.assertIn(running.returncode, codes, f"{words}\n{told}{said}")
        self.test.assertNotIn("panicked", said)
        return told + said

    def data(self, *words, **more):
        return json.loads(self.run(*words, "--json", **more))["data"]

    def named(self):
        self.run("vc", "config", "user.name", "Ada")
        self.run("vc", "config", "user.email", "ada@example.invalid")
        return self

    def begun(self):
        self.run("init")
        return self.named()

    def curate(self, text, title="Tokens", **more):
        return self.run("curate", text, "--into", "auth/login", "--title", title, "--reason", "audit", **more)

    def git(self, *words):
        """git of this machine, on the same files."""
        return machine.call("git", *NAME, *words, cwd=self.tree)

    def settled(self):
        """Nothing waits, nothing is missing, and nothing temporary is left."""
        self.test.assertIn("working tree clean", self.run("vc", "status"))
        self.test.assertEqual(self.git("status", "--porcelain"), "")
        self.git("fsck", "--strict")
        left = [path for path in self.tree.rglob(".brv-tmp-*") if ".git" not in path.parts]
        self.test.assertEqual(left, [])
        self.test.assertEqual(self.data("derive")["written"], [])


def remote(name, commits):
    """A bare repository made by git on Linux, with these commits: each a dictionary of files, or words for git."""
    work, bare = machine.root / f"{name}-work", machine.drive / f"{name}.git"
    machine.call("git", "init", "-q", "-b", "main", work)
    for number, files in enumerate(commits):
        for path, text in files.items():
            file = work / path
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        machine.call("git", "add", "-A", cwd=work)
        machine.call("git", *NAME, "commit", "-q", "-m", f"commit {number}", cwd=work)
        machine.call("git", "branch", f"at{number}", cwd=work)
    machine.call("git", "clone", "-q", "--bare", work, bare)
    return f"C:\\{name}.git"


class Smoke(unittest.TestCase):
    def test_the_first_commands_do_what_they_say(self):
        project = Project(self, "first")
        self.assertRegex(project.run("--version"), r"^brv \d+\.\d+\.\d+")
        self.assertIn("New context tree in .brv\\context-tree", project.run("init"))
        self.assertIn("no name is set", project.curate("Tokens live 24 hours."))
        self.assertIn("new file:  auth/login/tokens.md", project.run("vc", "status"))
        self.assertIn("no name is set", project.run("vc", "commit", "-m", "first", code=1))
        project.named()
        self.assertIn("first", project.run("vc", "commit", "-m", "first"))
        self.assertIn("Tokens live 24 hours.", project.run("query", "How long do tokens live?"))
        self.assertIn("in commit", project.curate("Ask Ada.", "Owners"))
        self.assertIn("Undid curate", project.run("undo"))
        self.assertFalse((project.tree / "auth/login/owners.md").exists())
        commits = project.data("vc", "log")["commits"]
        self.assertEqual([commit["subject"] for commit in commits], ["first"])
        self.assertIn("Tokens live", project.run("read", "auth/login/tokens"))
        self.assertIn("brv vc status", project.run("status", "-h", program="git-brv.exe") + project.run("vc", "status", "-h"))
        self.assertEqual(project.run("vc", "nothing", code=2, program="git-brv.exe").count("unrecognized"), 1)
        project.settled()

    def test_the_demo_runs(self):
        told = Project(self, "demo").run("demo")
        self.assertIn("Alice and Bob have the same", told)

    def test_agents_are_served_until_their_input_ends(self):
        project = Project(self, "mcp").begun()
        project.curate("Tokens live 24 hours.")
        known = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        asked = {"name": "brv-query", "arguments": {"question": "How long do tokens live?"}}
        calls = [("initialize", known), ("tools/list", {}), ("tools/call", asked)]
        told = [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
        messages = [{"jsonrpc": "2.0", "id": number, "method": name, "params": given} for number, (name, given) in enumerate(calls)]
        text = "".join(json.dumps(message) + "\n" for message in messages[:1] + told + messages[1:])
        running = machine.start(["mcp"], project.folder)
        running.stdin.write(text.encode())
        running.stdin.flush()
        lines = [json.loads(running.stdout.readline()) for _ in calls]
        answers = {line["id"]: line["result"] for line in lines}
        self.assertEqual(answers[0]["serverInfo"]["name"], "brv")
        self.assertIn("brv-query", [tool["name"] for tool in answers[1]["tools"]])
        self.assertIn("24 hours", json.dumps(answers[2]))
        rest, said = running.communicate(timeout=60)
        self.assertEqual((running.returncode, rest), (0, b""), said)


class Files(unittest.TestCase):
    def test_folders_may_have_blanks_and_letters_beyond_ascii(self):
        project = Project(self, "my project – ü 観測/deep").begun()
        project.curate("Rotate weekly.", "Schlüssel 観測")
        self.assertIn("Rotate weekly.", project.run("query", "観測"))
        self.assertEqual(project.git("-c", "core.quotePath=false", "ls-files", "*観測.md"), "auth/login/schlüssel_観測.md\n")
        project.run("vc", "clone", ".brv\\context-tree", "a copy")
        copied = project.folder / "a copy/.brv/context-tree/auth/login/schlüssel_観測.md"
        self.assertEqual(copied.read_bytes(), (project.tree / "auth/login/schlüssel_観測.md").read_bytes())
        project.settled()

    def test_line_ends_that_an_editor_wrote_are_kept(self):
        project = Project(self, "crlf").begun()
        project.curate("Tokens live 24 hours.")
        file = project.tree / "auth/login/tokens.md"
        edited = file.read_bytes().replace(b"24", b"12").replace(b"\n", b"\r\n")
        file.write_bytes(edited)
        self.assertIn("modified:  auth/login/tokens.md", project.run("vc", "status"))
        project.run("vc", "commit", "-a", "-m", "edited")
        self.assertEqual(file.read_bytes(), edited)
        project.curate("Tokens are opaque.")
        text = file.read_bytes()
        self.assertIn(b"12 hours.\r\n", text)
        self.assertEqual(text.count(b"\n"), text.count(b"\r\n"), "one kind of line ends in a file")
        project.run("undo")
        self.assertEqual(file.read_bytes(), edited)
        project.settled()

    def test_a_read_only_file_is_replaced_removed_and_restored(self):
        project = Project(self, "read only").begun()
        project.curate("Tokens live 24 hours.")
        file = project.tree / "auth/login/tokens.md"
        before = file.read_bytes()
        for path in project.tree.rglob("*.*"):
            if ".git" not in path.parts and path.is_file():
                path.chmod(0o444)
        project.curate("Tokens are opaque.")
        self.assertIn(b"opaque", file.read_bytes())
        project.settled()
        file.chmod(0o444)
        project.run("undo")
        self.assertEqual(file.read_bytes(), before)
        file.chmod(0o444)
        project.run("vc", "rm", "auth/login/tokens.md")
        self.assertFalse(file.exists())
        project.run("undo")
        self.assertEqual(file.read_bytes(), before)
        settings = project.folder / ".brv/config.yaml"
        project.run("config", "set", "--project", "lock.timeout", "5")
        if settings.is_file():
            settings.chmod(0o444)
            project.run("config", "set", "--project", "lock.timeout", "6")
        project.settled()

    def test_names_that_windows_has_not_are_refused_whole(self):
        bad = ["aux.md", "con.md", "dot.", "blank ", "KEYS.md", "a:b.md", "tab\there.md", "com1.txt", "qu?.md"]
        remote("bad", [{f"auth/{name}": ENTRY for name in [*bad, "keys.md"]}])
        project = Project(self, "refused")
        said = project.run("vc", "clone", "C:\\bad.git", ".", code=6)
        for name in ["aux.md", "con.md", "dot.", "blank", "KEYS.md", "keys.md", "a:b.md", "com1.txt", "qu?.md"]:
            self.assertIn(f"auth/{name}", said)
        self.assertIn("nothing was written", said)
        self.assertEqual(list(project.folder.iterdir()), [], "nothing of it is left")
        # and where they come later
        remote("later", [{"auth/keys.md": ENTRY}, {"auth/aux.md": ENTRY}, {"auth/aux.md": None, "auth/Keys.md": ENTRY}])
        project.run("vc", "clone", "--branch", "at0", "C:\\later.git", ".")
        project.named()
        head = project.git("rev-parse", "HEAD")
        for branch, name in (("at1", "auth/aux.md"), ("at2", "auth/Keys.md")):
            for words in (("switch", branch), ("merge", f"origin/{branch}"), ("checkout", f"origin/{branch}", "--", name)):
                # a single path is looked up on the disk first, where it is no name at all
                said = project.run("vc", *words, code=(1, 6) if "--" in words else 6)
                self.assertIn(pathlib.PurePath(name).name, said)
                self.assertEqual(project.git("rev-parse", "HEAD"), head)
                self.assertEqual((project.tree / "auth/keys.md").read_text(), ENTRY)
        project.settled()

    def test_a_rename_that_changes_case_only_comes_and_goes(self):
        remote("case", [{"ops/keys.md": ENTRY, "ops/more/a.md": ENTRY}, {"ops/keys.md": None, "ops/Keys.md": ENTRY}])
        project = Project(self, "case")
        project.run("vc", "clone", "--branch", "at0", "C:\\case.git", ".")
        project.named()
        names = lambda: sorted(path.name for path in (project.tree / "ops").iterdir() if path.name.lower().startswith("keys"))
        of = lambda name: [f"{name}.abstract.md", f"{name}.md", f"{name}.overview.md"]
        self.assertEqual(names(), of("keys"))
        project.run("vc", "merge", "origin/at1")
        self.assertEqual(names(), of("Keys"))
        project.settled()
        project.run("undo")
        self.assertEqual(names(), of("keys"))
        self.assertEqual((project.tree / "ops/keys.md").read_text(), ENTRY)
        project.settled()
        project.run("vc", "switch", "-c", "new", "origin/at1")
        self.assertEqual(names(), of("Keys"))
        project.settled()
        project.run("vc", "switch", "at0")
        self.assertEqual(names(), of("keys"))
        project.settled()

    def test_a_folder_whose_case_changes_keeps_its_files(self):
        remote("fold", [{"ops/keys.md": ENTRY, "b.md": ENTRY}, {"ops/keys.md": None, "Ops/keys.md": ENTRY}])
        project = Project(self, "fold")
        project.run("vc", "clone", "--branch", "at0", "C:\\fold.git", ".")
        project.named()
        count = lambda: len(list((project.tree / "ops").iterdir() if (project.tree / "ops").is_dir() else (project.tree / "Ops").iterdir()))
        before = count()
        project.run("vc", "merge", "origin/at1")
        self.assertEqual(count(), before)
        self.assertIn("24 hours", project.run("read", "Ops/keys"))
        self.assertIn("working tree clean", project.run("vc", "status"))
        project.run("undo")
        self.assertEqual(count(), before)
        self.assertIn("24 hours", project.run("read", "ops/keys"))
        self.assertIn("working tree clean", project.run("vc", "status"))


class Writers(unittest.TestCase):
    def test_two_writers_at_once_both_land(self):
        project = Project(self, "two").begun()
        project.curate("First.", "Zero")
        words = lambda number: ["curate", f"Text {number}.", "--into", "auth/login", "--title", f"Title {number}", "--reason", f"r{number}"]
        running = [machine.start(words(number), project.folder) for number in range(4)]
        for one in running:
            told, said = one.communicate(timeout=180)
            self.assertEqual(one.returncode, 0, told + said)
        subjects = [commit["subject"] for commit in project.data("vc", "log")["commits"]]
        self.assertEqual(sorted(subjects), ["audit", "r0", "r1", "r2", "r3"])
        for number in range(4):
            self.assertIn(f"Text {number}.", (project.tree / f"auth/login/title_{number}.md").read_text())
        project.settled()

    def test_clones_push_and_pull(self):
        remote("team", [{"auth/keys.md": ENTRY}])
        ada, bo = (Project(self, name) for name in ("ada", "bo"))
        for one in (ada, bo):
            one.run("vc", "clone", "C:\\team.git", ".")
            one.named()
        ada.curate("Tokens live 24 hours.")
        ada.run("vc", "push")
        bo.curate("Ask Ada.", "Owners")
        bo.run("vc", "sync")
        ada.run("vc", "pull")
        for one in (ada, bo):
            self.assertTrue((one.tree / "auth/login/owners.md").is_file())
            self.assertTrue((one.tree / "auth/login/tokens.md").is_file())
            one.settled()


if __name__ == "__main__":
    unittest.main()
