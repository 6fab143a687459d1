"""Tests of install.ps1: both shells of Windows, a server on loopback, an archive with a stand-in as programs.

Elsewhere than on Windows they are skipped.
"""

import functools
import hashlib
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

TEMPLATE = pathlib.Path(__file__).parents[1] / "install.ps1"
SHELLS = [shell for shell in ("powershell", "pwsh") if shutil.which(shell)]
NAMES = ["brv.exe", "git-brv.exe", "completions/brv.ps1"]
LABEL = "brv-%s-x86_64-pc-windows-msvc"
# says its version, or runs until its input ends
PROGRAM = """
Add-Type -OutputType ConsoleApplication -OutputAssembly '%s' -TypeDefinition @'
public static class Program {
    public static int Main(string[] words) {
        if (words.Length > 0 && words[0] == "wait") { System.Console.In.ReadToEnd(); }
        System.Console.WriteLine("brv %s");
        return %d;
    }
}
'@
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def powershell(shell, script, *arguments, **more):
    """Run a script file: the exit code, and what it said without spaces, since each shell breaks lines elsewhere."""
    # a shell that finds the modules of the other one cannot load them
    env = {name: value for name, value in os.environ.items() if name.upper() != "PSMODULEPATH"} | more
    words = [shell, "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", str(script), *arguments]
    ran = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return ran.returncode, bare((ran.stdout + ran.stderr).decode(errors="replace"))


def bare(text):
    return re.sub(r"\x1b\[[0-9;]*m|[\s|]", "", text)


class Place:
    """A server with an archive, and a folder that does not exist."""

    def __init__(self, root, shell, programs):
        self.root, self.shell, self.programs, self.web = root, shell, programs, root / "web"
        self.web.mkdir()
        serve = functools.partial(Quiet, directory=self.web)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        self.dir = root / "programs of me"
        self.script("1.0.0")

    def script(self, version):
        """Make the script of a version, whose archive is served."""
        label = LABEL % version
        self.archive = self.web / f"{label}.zip"
        with zipfile.ZipFile(self.archive, "w") as packed:
            for name in NAMES:
                content = self.programs[version] if name.endswith(".exe") else f"# {version}\n".encode()
                packed.writestr(f"{label}/{name}", content)
        text = TEMPLATE.read_text(encoding="utf-8").replace("@VERSION@", version).replace("@BASE@", self.base)
        text = text.replace("@LABEL@", version)
        text = text.replace("@SUM:x86_64-pc-windows-msvc@", hashlib.sha256(self.archive.read_bytes()).hexdigest())
        (self.root / "install.ps1").write_text(text, encoding="utf-8")

    def run(self, *arguments, **more):
        return powershell(self.shell, self.root / "install.ps1", *arguments, **{"BRV_INSTALL_DIR": str(self.dir), **more})

    def state(self):
        """All files of the folder, with their content."""
        return {file: file.read_bytes() if file.is_file() else None for file in self.dir.rglob("*")}


def each_shell(test):
    """Run a test once for each shell."""

    @functools.wraps(test)
    def run(self):
        for shell in SHELLS:
            with self.subTest(shell=shell), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
                place = Place(pathlib.Path(root).resolve(), shell, self.programs)
                try:
                    test(self, place)
                finally:
                    place.server.shutdown()
                    place.server.server_close()

    return run


@unittest.skipUnless(sys.platform == "win32", "needs Windows")
class Installing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = {}
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "make.ps1"
            for version, code in (("1.0.0", 0), ("2.0.0", 0), ("3.0.0", 3)):
                made = pathlib.Path(folder) / f"{version}.exe"
                script.write_text(PROGRAM % (made, version, code), encoding="utf-8")
                # only the shell that comes with Windows makes programs
                ran = powershell("powershell", script)
                assert made.is_file(), ran
                cls.programs[version] = made.read_bytes()

    def good(self, ran, *words):
        self.assertEqual(ran[0], 0, ran)
        for word in words:
            self.assertIn(bare(word), ran[1])

    def refused(self, ran, *words):
        self.assertEqual(ran[0], 1, ran)
        for word in words:
            self.assertIn(bare(word), ran[1])

    @each_shell
    def test_installs_upgrades_and_uninstalls(self, place):
        self.good(place.run(), f"installed: brv 1.0.0 in {place.dir}", f"add {place.dir} to your PATH")
        files = sorted(file.relative_to(place.dir).as_posix() for file in place.dir.rglob("*") if file.is_file())
        self.assertEqual(files, sorted([*NAMES, "installed.txt"]))
        place.script("2.0.0")
        ran = place.run(PATH=f"{place.dir};{os.environ['PATH']}")
        self.good(ran, "installed: brv 2.0.0")
        self.assertNotIn("toyourPATH", ran[1])
        self.assertEqual((place.dir / "brv.exe").read_bytes(), self.programs["2.0.0"])
        self.good(place.run("-Uninstall"), "brv is uninstalled")
        self.assertFalse(place.dir.exists())
        self.refused(place.run("-Uninstall"), "nothing to uninstall")

    @each_shell
    def test_a_program_that_runs(self, place):
        self.good(place.run())
        place.script("2.0.0")
        words = [str(place.dir / "brv.exe"), "wait"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            self.good(place.run(), "installed: brv 2.0.0")
            self.assertEqual(len(list(place.dir.glob("brv.exe.brv-old-*"))), 1)
            self.assertIn(b"brv 1.0.0", running.communicate()[0])
        self.good(place.run())
        self.assertEqual(list(place.dir.glob("*.brv-old-*")), [])
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            self.good(place.run("-Uninstall"), "it still runs; remove it when it has ended", "brv is uninstalled")
            self.assertFalse((place.dir / "brv.exe").exists())
            # the place is free again
            self.good(place.run(), "installed: brv 2.0.0")
            running.communicate()
        self.good(place.run("-Uninstall"))
        self.assertFalse(place.dir.exists())

    @each_shell
    def test_the_files_of_others_stay(self, place):
        place.dir.mkdir()
        theirs = place.dir / "git-brv.exe"
        theirs.write_bytes(b"theirs")
        self.refused(place.run(), "git-brv.exe is another program")
        self.assertEqual(place.state(), {theirs: b"theirs"})
        theirs.unlink()
        (place.dir / "completions").mkdir()
        page = place.dir / "completions/brv.ps1"
        page.write_bytes(b"mine")
        self.good(place.run(), "brv.ps1 was not installed by this script; it stays")
        (place.dir / "brv.exe").write_bytes(b"theirs")
        before = place.state()
        place.script("2.0.0")
        self.refused(place.run(), "brv.exe is another program")
        self.assertEqual(place.state(), before)
        ran = place.run("-Uninstall")
        self.good(ran, f"changed, so it stays: {place.dir / 'brv.exe'}", "brv is uninstalled")
        self.assertEqual(ran[1].count("soitstays"), 1, "of the completions it knows nothing")
        files = {file: content for file, content in place.state().items() if content is not None}
        self.assertEqual(files, {page: b"mine", place.dir / "brv.exe": b"theirs"})

    @each_shell
    def test_all_or_nothing(self, place):
        place.archive.write_bytes(b"<html>Please log in</html>")
        self.refused(place.run(), "wrong checksum")
        place.archive.unlink()
        self.refused(place.run())
        self.refused(place.run(BRV_DOWNLOAD_BASE="http://mirror.example.invalid"), "only https is allowed")
        self.assertFalse(place.dir.exists())
        place.script("3.0.0")
        self.refused(place.run(), "the program does not run on this machine")
        self.assertFalse(place.dir.exists())
        place.script("1.0.0")
        self.good(place.run())
        before = place.state()
        place.script("3.0.0")
        self.refused(place.run(), "the program does not run on this machine")
        self.assertEqual(place.state(), before)
        place.script("2.0.0")
        for name in NAMES:
            # Windows renames no file that this test has open
            with open(place.dir / name, "rb"):
                self.refused(place.run())
            self.assertEqual(place.state(), before, name)
        (place.dir / "brv-new").mkdir()
        self.refused(place.run(), "another installation is at work")
        (place.dir / "brv-new").rmdir()
        self.assertEqual(place.state(), before)
        self.good(place.run(), "installed: brv 2.0.0")


if __name__ == "__main__":
    unittest.main()
