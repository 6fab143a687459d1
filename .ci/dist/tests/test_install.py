"""Tests of install.sh: every shell of this machine, a server on loopback, an archive with stand-ins as programs."""

import concurrent.futures
import contextlib
import functools
import hashlib
import http.server
import io
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import threading
import unittest

TEMPLATE = pathlib.Path(__file__).parents[1] / "install.sh"
TARGETS = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "aarch64-apple-darwin", "x86_64-apple-darwin"]
SHELLS = [words for words in (["dash"], ["bash", "--posix"], ["busybox", "ash"]) if shutil.which(words[0])]
# what a minimal system has, without the wget and curl of this machine
TOOLS = """sh uname mktemp rm mkdir rmdir mv cp chmod tar xz sed sort cat grep cut dirname sha256sum sleep id env""".split()


def archive(version, folder, label, more=(), said=None):
    """Make an archive of a version, whose programs are the script `said`. Its checksum."""
    said = said or f"#!/bin/sh\necho brv {version}\n"
    files = {"brv": said, "git-brv": said, "man/man1/brv.1": "page", "man/man1/brv vc.1": "page", "README.md": "x"}
    files |= {f"completions/{name}": "c" for name in ("brv.bash", "_brv", "brv.fish", "brv.ps1")}
    files |= {name: "page" for name in more}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(f"{label}/{name}")
            info.size, info.mode = len(text), 0o755 if "/" not in name else 0o644
            tar.addfile(info, io.BytesIO(text.encode()))
    (folder / f"{label}.tar.xz").write_bytes(packed.getvalue())
    return hashlib.sha256(packed.getvalue()).hexdigest()


def checksum(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Place:
    """A server with the archives of two versions, and an empty home."""

    def __init__(self, root):
        self.root, self.home, self.web = root, root / "home of me", root / "web"
        self.home.mkdir()
        self.web.mkdir()
        serve = functools.partial(Quiet, directory=self.web)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        self.bin = self.home / ".local/bin"
        self.script("1.0.0")

    def script(self, version, more=(), said=None):
        """Make the script of a version, whose archive is served."""
        machine = os.uname().machine
        text = TEMPLATE.read_text().replace("@VERSION@", version).replace("@BASE@", self.base)
        text = text.replace("@LABEL@", version)
        for target in TARGETS:
            is_here = target == f"{machine}-unknown-linux-musl"
            label = f"brv-{version}-{target}"
            text = text.replace(f"@SUM:{target}@", archive(version, self.web, label, more, said) if is_here else "")
        self.text = text
        self.archive = self.web / f"brv-{version}-{machine}-unknown-linux-musl.tar.xz"

    def run(self, shell, *arguments, text=None, path=None, home=True, **more):
        env = {"PATH": path or os.environ["PATH"], "TMPDIR": str(self.root), **more}
        if home:
            env["HOME"] = str(self.home)
        words = [*shell, "-s", *(["--", *arguments] if arguments else [])]
        given = (self.text if text is None else text).encode()
        # a group of its own, which a stand-in can end
        more = {"env": env, "cwd": self.root, "start_new_session": True}
        ran = subprocess.run(words, input=given, capture_output=True, timeout=60, **more)
        return ran.returncode, ran.stdout.decode(), ran.stderr.decode()

    def stand_in(self, program, number, does):
        """A PATH where the call `number` of a program does something else."""
        folder = self.root / f"instead of {program}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        script = f'#!/bin/sh\necho >>"$0.calls"\n[ "$(wc -l <"$0.calls")" != {number} ] || {{ {does}; }}\n'
        (folder / program).write_text(f'{script}exec {shutil.which(program)} "$@"\n')
        (folder / program).chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    def impatient(self):
        """A PATH where sleep does not."""
        path = self.stand_in("sleep", 0, ":")
        (self.root / "instead of sleep/sleep").write_text("#!/bin/sh\n")
        return path

    def state(self):
        """All files of the home, with their content."""
        return {file: file.read_bytes() if file.is_file() else None for file in self.home.rglob("*")}

    def files(self, below=None):
        return sorted(str(file.relative_to(self.root)) for file in (below or self.home).rglob("*"))


class Installing(unittest.TestCase):
    @contextlib.contextmanager
    def place(self, shell):
        """An empty place for a shell."""
        with self.subTest(shell=shell), tempfile.TemporaryDirectory() as root:
            place = Place(pathlib.Path(root))
            try:
                yield place
                left = [file.name for file in place.root.glob("tmp*")]
                self.assertEqual(left, [], "temporary files are removed")
            finally:
                place.server.shutdown()
                place.server.server_close()

    def refused(self, ran, *words):
        """It failed with one message that has these words."""
        code, _, said = ran
        self.assertEqual(code, 1, ran)
        for word in words:
            self.assertIn(word, said)

    def test_installs_upgrades_and_uninstalls(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                code, told, said = place.run(shell)
                self.assertEqual((code, said), (0, ""), told)
                self.assertIn("installed: brv 1.0.0 in ", told)
                self.assertIn(f'export PATH="{place.bin}:$PATH"', told)
                self.assertEqual((place.bin / "brv").stat().st_mode & 0o777, 0o755)
                share = place.home / ".local/share"
                for file in ("man/man1/brv vc.1", "bash-completion/completions/brv", "zsh/site-functions/_brv"):
                    self.assertTrue((share / file).is_file(), file)
                before = place.files()
                self.assertFalse([file for file in before if "brv-new" in file])
                with open(place.bin / "brv") as running:
                    place.script("2.0.0")
                    code, told, _ = place.run(shell, path=f"{place.bin}:{os.environ['PATH']}")
                    self.assertEqual(code, 0)
                    self.assertIn("brv 2.0.0", told)
                    self.assertNotIn("PATH", told)
                    self.assertIn("1.0.0", running.read(), "a program that runs keeps its file")
                self.assertEqual(place.files(), before)
                (share / "brv/mine").write_text("x")
                self.assertEqual(place.run(shell, "--uninstall")[0], 0)
                left = list(place.home.rglob("*"))
                mine = share / "brv/mine"
                self.assertEqual(left, [share.parent, share, mine.parent, mine], "it removes what it installed and nothing else")
                self.refused(place.run(shell, "--uninstall"), "nothing to uninstall")
                for words in (["--purge"], ["--uninstall", "--nope"], ["--nope", "--uninstall"]):
                    self.refused(place.run(shell, *words), f"unknown argument {' '.join(words)}")

    def test_what_was_not_released_is_not_installed(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                whole = place.archive.read_bytes()
                flipped = bytes([whole[0], whole[1] ^ 1]) + whole[2:]
                page = b"<html>Please log in</html>"
                other = place.web / "other.tar.xz"
                archive("0.9.0", place.web, "other")
                for content in (flipped, whole[: len(whole) // 2], b"", page, other.read_bytes()):
                    place.archive.write_bytes(content)
                    self.refused(place.run(shell), "wrong checksum")
                    self.assertEqual(place.files(), [])
                place.archive.unlink()
                self.refused(place.run(shell), "cannot download")
                self.refused(place.run(shell, BRV_DOWNLOAD_BASE="http://127.0.0.1:9"), "cannot download")
                for address in ("http://mirror.example.invalid", "http://127.0.0.1.example.invalid", "ftp://x", "file:///"):
                    self.refused(place.run(shell, BRV_DOWNLOAD_BASE=address), "only https is allowed")
                self.assertEqual(place.files(), [])

    def test_an_upgrade_removes_the_pages_of_commands_that_are_gone(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                gone = ["man/man1/brv old.1", "man/man1/brv [x]*.1"]
                place.script("1.0.0", gone)
                self.assertEqual(place.run(shell)[0], 0)
                # programs in another folder have a list of their own
                other = place.root / "other/bin"
                self.assertEqual(place.run(shell, BRV_INSTALL_DIR=str(other))[0], 0)
                share = place.home / ".local/share"
                mine = share / "man/man1/brv mine.1"
                mine.write_text("x")
                listed = share / "brv/installed.txt"
                self.assertTrue(all((share / page).is_file() for page in gone))
                place.script("2.0.0", ["man/man1/brv new.1"])
                for _ in range(2):
                    code, told, said = place.run(shell)
                    self.assertEqual((code, said), (0, ""), told)
                    self.assertFalse([page for page in gone if (share / page).exists()])
                    self.assertTrue(mine.is_file() and (share / "man/man1/brv new.1").is_file())
                    names = listed.read_text().splitlines()
                    self.assertEqual(len(names), len(set(names)))
                    for sum_, name in (line.split(" ", 1) for line in names):
                        self.assertEqual(sum_, "folder" if pathlib.Path(name).is_dir() else checksum(pathlib.Path(name)))
                    self.assertEqual(len([line for line in names if line.endswith("/brv vc.1")]), 1, names)
                    self.assertNotIn(str(other), listed.read_text())
                    self.assertTrue((other / "git-brv").is_file())
                # a version that is not installed in the end removes nothing
                place.script("3.0.0")
                place.archive.write_bytes(b"another")
                before = place.files()
                self.refused(place.run(shell), "wrong checksum")
                self.assertEqual(place.files(), before)
                self.assertEqual(place.run(shell, "--uninstall")[0], 0)
                self.assertEqual(place.run(shell, "--uninstall", BRV_INSTALL_DIR=str(other))[0], 0)
                self.assertFalse(other.parent.exists(), "folders that it has made are removed")
                self.assertEqual([file for file in place.root.rglob("*brv*") if file.is_file() and place.web not in file.parents], [mine])

    def test_half_a_script_does_nothing(self):
        for shell in SHELLS[:1]:
            with self.place(shell) as place:
                text = place.text.rstrip("\n")
                start = text.rindex("{ brv_install")
                for end in [*range(0, start, 97), *range(start, len(text))]:
                    place.run(shell, text=text[:end])
                    self.assertEqual(place.files(), [], text[max(0, end - 40) : end])

    def test_a_mirror_and_both_programs_that_download(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                mirror = place.web / "mirror"
                mirror.mkdir()
                place.archive.rename(mirror / place.archive.name)
                for program in ("curl", "wget"):
                    if not shutil.which(program):
                        continue
                    tools = place.root / f"tools-{program}"
                    tools.mkdir()
                    for name in [*TOOLS, program]:
                        (tools / name).symlink_to(shutil.which(name))
                    words = [shutil.which(shell[0]), *shell[1:]]
                    ran = place.run(words, path=str(tools), BRV_DOWNLOAD_BASE=f"{place.base}/mirror/")
                    self.assertEqual(ran[0], 0, ran)
                    self.assertEqual(place.run(words, "--uninstall")[0], 0)
                (tools / program).unlink()
                self.refused(place.run(words, path=str(tools), BRV_DOWNLOAD_BASE=place.base), "needs curl or wget")

    def test_the_programs_of_others_stay(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                place.bin.mkdir(parents=True)
                for name in ("brv", "git-brv"):
                    theirs = place.bin / name
                    theirs.write_text("#!/bin/sh\necho theirs\n")
                    self.refused(place.run(shell), f"{theirs} is another program")
                    self.assertEqual(theirs.read_text(), "#!/bin/sh\necho theirs\n")
                    theirs.unlink()
                    theirs.symlink_to("/nowhere")
                    self.refused(place.run(shell), "is another program")
                    theirs.unlink()
                self.assertEqual([file for file in place.home.rglob("*") if file.is_file()], [])
                earlier = place.root / "earlier"
                earlier.mkdir()
                (earlier / "brv").write_text("#!/bin/sh\necho neighbour\n")
                (earlier / "brv").chmod(0o755)
                code, _, said = place.run(shell, path=f"{earlier}:{place.bin}:{os.environ['PATH']}")
                self.assertEqual(code, 0)
                self.assertIn(f"warning: your PATH finds {earlier}/brv first", said)
                code, told, said = place.run(shell, path=f"{earlier}:{os.environ['PATH']}")
                self.assertEqual(code, 0)
                self.assertIn(f"warning: your PATH finds {earlier}/brv first", said)
                self.assertIn(f'export PATH="{place.bin}:$PATH"', told)

    def test_what_was_replaced_by_somebody_else_stays(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                share = place.home / ".local/share"
                theirs = [share / "bash-completion/completions/brv", share / "man/man1/brv.1"]
                theirs[0].parent.mkdir(parents=True)
                theirs[0].write_text("mine")
                theirs[1].mkdir(parents=True)
                code, _, said = place.run(shell)
                self.assertEqual((code, len(said.splitlines())), (0, 2), said)
                for file in theirs:
                    self.assertIn(f"warning: {file} was not installed by this script", said)
                self.assertEqual((theirs[0].read_text(), list(theirs[1].iterdir())), ("mine", []))
                page = share / "man/man1/brv vc.1"
                for number, program in enumerate([place.bin / "brv", place.bin / "git-brv"]):
                    ours = program.read_bytes()
                    for change in (lambda: program.write_text("theirs"), lambda: program.symlink_to(place.archive), program.mkdir):
                        program.unlink()
                        change()
                        before = place.state()
                        place.script(f"{number + 2}.0.0")
                        self.refused(place.run(shell), f"{program} is another program")
                        self.assertEqual(place.state(), before)
                        program.rmdir() if program.is_dir() and not program.is_symlink() else program.unlink()
                        program.write_bytes(ours)
                (place.bin / "brv").write_text("theirs")
                page.write_text("changed")
                code, _, said = place.run(shell, "--uninstall")
                self.assertEqual((code, len(said.splitlines())), (0, 2), said)
                for file in (place.bin / "brv", page):
                    self.assertIn(f"changed, so it stays: {file}", said)
                left = [file for file in place.home.rglob("*") if file.is_file()]
                self.assertEqual(sorted(left), sorted([place.bin / "brv", theirs[0], page]))
                # a list without checksums proves nothing
                listed = share / "brv/installed.txt"
                listed.parent.mkdir()
                listed.write_text(f"{place.bin}/brv\n")
                self.refused(place.run(shell), f"{place.bin}/brv is another program")
                self.assertEqual((place.bin / "brv").read_text(), "theirs")

    def test_all_or_nothing(self):
        # busybox has these programs inside
        for shell in [shell for shell in SHELLS if shell[0] != "busybox"]:
            with self.place(shell) as place:
                gone = ["man/man1/brv old.1"]
                for earlier in (None, "1.0.0"):
                    if earlier:
                        place.script(earlier, gone)
                        self.assertEqual(place.run(shell)[0], 0)
                    before = place.state()
                    place.script("2.0.0", ["man/man1/brv new.1"])
                    # the list, the programs, three completions and three pages
                    for number in range(1, 10):
                        for does in ("echo no >&2; exit 1", "kill -TERM 0"):
                            code, told, said = place.run(shell, path=place.stand_in("mv", number, does))
                            self.assertEqual((code, told), (1, ""), said)
                            self.assertEqual(place.state(), before, f"{number} {does}")
                    for number in range(1, 10 if not earlier else 18):
                        self.refused(place.run(shell, path=place.stand_in("cp", number, "exit 1")), "cannot write")
                        self.assertEqual(place.state(), before, number)
                path = place.stand_in("mv", 0, ":")
                self.assertEqual(place.run(shell, path=path)[::2], (0, ""))
                self.assertTrue((place.home / ".local/share/man/man1/brv new.1").is_file())
                self.assertFalse([file for file in place.home.rglob("*") if file.name in ("brv old.1", "installed.txt.lock")])
                # one more for the list, when the old pages are gone
                self.assertEqual((place.root / "instead of mv/mv.calls").read_text(), "\n" * 10)

    def test_a_machine_that_loses_power(self):
        for shell in [shell for shell in SHELLS if shell[0] != "busybox"]:
            with self.place(shell) as place:
                place.script("1.0.0", ["man/man1/brv old.1"])
                self.assertEqual(place.run(shell)[0], 0)
                lock = place.home / ".local/share/brv/installed.txt.lock"
                for number in range(1, 10):
                    place.script(f"{number + 1}.0.0")
                    self.assertEqual(place.run(shell, path=place.stand_in("mv", number, "kill -KILL 0"))[0], -9)
                    for folder in place.root.glob("tmp*"):
                        shutil.rmtree(folder)
                    before = place.state()
                    ran = place.run(shell, path=place.impatient())
                    self.refused(ran, "another installation is at work", f"rmdir '{lock}'")
                    self.assertEqual(place.state(), before)
                    lock.rmdir()
                    self.assertEqual(place.run(shell)[::2], (0, ""), number)
                    self.assertFalse([file for file in place.home.rglob("*.brv-*")])
                self.assertEqual(place.run(shell, "--uninstall")[::2], (0, ""))
                self.assertEqual(list(place.home.iterdir()), [])

    def test_a_program_that_does_not_run_here(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                for said in ("#!/bin/sh\nexit 126\n", "#!/nowhere/sh\n", "\x7fELF"):
                    place.script("1.0.0", said=said)
                    self.refused(place.run(shell), "does not run on this machine")
                    self.assertEqual(place.files(), [])
                place.script("1.0.0")
                self.assertEqual(place.run(shell)[0], 0)
                before = place.state()
                place.script("2.0.0", said="#!/bin/sh\nexit 126\n")
                self.refused(place.run(shell), "does not run on this machine")
                self.assertEqual(place.state(), before)

    def test_four_at_once(self):
        for shell in SHELLS:
            with self.place(shell) as place, concurrent.futures.ThreadPoolExecutor() as pool:
                for version in ("1.0.0", "2.0.0"):
                    place.script(version)
                    for ran in pool.map(lambda _: place.run(shell), range(4)):
                        self.assertEqual(ran[::2], (0, ""), ran)
                    self.assertFalse([file for file in place.home.rglob("*") if ".brv-" in file.name or file.suffix == ".lock"])
                self.assertEqual(place.run(shell, "--uninstall")[::2], (0, ""))
                self.assertEqual(list(place.home.iterdir()), [])

    def test_programs_for_checksums(self):
        for shell in [shell for shell in SHELLS if shell[0] != "busybox"]:
            with self.place(shell) as place:
                tools = place.root / "tools"
                tools.mkdir()
                for name in TOOLS:
                    (tools / name).symlink_to(shutil.which(name)) if name != "sha256sum" else None
                ran = place.run([shutil.which(shell[0]), *shell[1:]], path=str(tools))
                self.assertEqual(ran, (1, "", "install.sh: needs sha256sum, openssl or shasum\n"))
                self.assertEqual(place.files(), [])
                for name in filter(shutil.which, ("curl", "wget")):
                    (tools / name).symlink_to(shutil.which(name))
                for name in ("openssl", "shasum"):
                    if not shutil.which(name):
                        continue
                    # one that reads its library, wherever it is
                    (tools / name).write_text(f'#!/bin/sh\nPATH={os.environ["PATH"]} exec {shutil.which(name)} "$@"\n')
                    (tools / name).chmod(0o755)
                    for version in ("1.0.0", "2.0.0"):
                        place.script(version)
                        ran = place.run([shutil.which(shell[0]), *shell[1:]], path=str(tools))
                        self.assertEqual(ran[::2], (0, ""), name)
                    # what one has written, another one reads
                    self.assertEqual(place.run(shell, "--uninstall")[::2], (0, ""))
                    self.assertEqual(place.files(), [])
                    (tools / name).unlink()

    @unittest.skipUnless(shutil.which("busybox"), "needs busybox")
    def test_only_the_programs_of_busybox(self):
        with self.place(["busybox", "ash"]) as place:
            tools = place.root / "tools"
            tools.mkdir()
            for name in subprocess.run(["busybox", "--list"], capture_output=True, text=True, check=True).stdout.split():
                (tools / name).symlink_to(shutil.which("busybox"))
            place.script("1.0.0", ["man/man1/brv old.1"])
            for version in ("1.0.0", "2.0.0"):
                code, told, said = place.run([str(tools / "ash")], path=str(tools))
                self.assertEqual((code, said), (0, ""), told)
                self.assertIn(f"installed: brv {version}", told)
                place.script("2.0.0")
            self.assertEqual(place.run([str(tools / "ash")], "--uninstall", path=str(tools))[::2], (0, ""))
            self.assertEqual(place.files(), [])

    def test_places(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                real = place.root / "real"
                real.mkdir()
                (place.root / "link to it").symlink_to(real)
                for folder in (place.root / "link to it", place.root / "a  b/c'd\"$x"):
                    code, told, said = place.run(shell, BRV_INSTALL_DIR=str(folder))
                    self.assertEqual((code, said), (0, ""), told)
                    self.assertTrue((folder / "git-brv").is_file())
                self.assertTrue((place.root / "link to it").is_symlink())
                self.assertEqual(place.run(shell, "--uninstall", BRV_INSTALL_DIR=str(real))[0], 0)
                self.assertEqual(list(real.iterdir()) + list(place.home.iterdir()), [])
                self.assertEqual(place.run(shell, BRV_INSTALL_DIR="here")[0], 0)
                self.assertTrue((place.root / "here/brv").is_file(), "a relative folder is below the current one")
                for spelt in ("./here", "here/", f"{place.root}//here/../here/"):
                    code, _, said = place.run(shell, BRV_INSTALL_DIR=spelt)
                    self.assertEqual((code, said), (0, ""), spelt)
                self.assertEqual(place.run(shell, "--uninstall", BRV_INSTALL_DIR="./here/")[0], 0)
                self.assertFalse((place.root / "here").exists())
                # a home with two names, whose folder of programs is a link
                (place.root / "two").symlink_to(place.home)
                (place.root / "dot").mkdir()
                place.bin.parent.mkdir()
                place.bin.symlink_to(place.root / "dot")
                for home, folder in ((place.home, None), (place.root / "two", None), (place.home, place.bin), (place.home, place.root / "dot")):
                    more = {"BRV_INSTALL_DIR": str(folder)} if folder else {}
                    code, _, said = place.run(shell, HOME=str(home), home=False, **more)
                    self.assertEqual((code, said), (0, ""), home)
                self.assertTrue((place.home / ".local/share/man/man1/brv.1").is_file())
                self.assertEqual(place.run(shell, "--uninstall")[0], 0)
                self.assertEqual([file for file in place.home.rglob("*")], [place.bin.parent, place.bin])
                self.assertTrue(place.bin.is_symlink())

    def test_without_a_home(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                self.refused(place.run(shell, home=False), "HOME is not set")
                folder = place.root / "opt/bin"
                self.assertEqual(place.run(shell, home=False, BRV_INSTALL_DIR=str(folder))[0], 0)
                self.assertTrue((place.root / "opt/share/man/man1/brv.1").is_file())
                ran = place.run(shell, "--uninstall", home=False, BRV_INSTALL_DIR=str(folder))
                self.assertEqual(ran[0], 0, ran)
                self.assertFalse((place.root / "opt").exists())

    def test_a_machine_without_an_archive(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                tools = place.root / "bin"
                tools.mkdir()
                (tools / "uname").write_text("#!/bin/sh\necho Plan9 mips\n")
                (tools / "uname").chmod(0o755)
                path = f"{tools}:{os.environ['PATH']}"
                self.refused(place.run(shell, path=path), "no archive for Plan9 mips", "cargo install brv --locked")
                # busybox has a command of its own, which it prefers
                self.assertEqual(place.files(), []) if shell[0] != "busybox" else None

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to mount")
    def test_a_full_disk_and_a_folder_that_is_not_writable(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                disk = place.root / "disk"
                for options, words in (("size=4k,nr_inodes=64", "cannot write"), ("ro", "cannot write")):
                    disk.mkdir(exist_ok=True)
                    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", disk], capture_output=True)
                    if mounted.returncode:
                        self.skipTest("cannot mount")
                    try:
                        ran = place.run(shell, BRV_INSTALL_DIR=str(disk / "bin"))
                        self.refused(ran, words)
                        self.assertEqual(place.files(disk) + place.files(), [])
                        if options != "ro":
                            self.refused(place.run(shell, TMPDIR=str(disk)), "")
                            self.assertEqual(place.files(disk) + place.files(), [])
                    finally:
                        subprocess.run(["umount", disk], check=True)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to be somebody else")
    def test_somebody_without_rights(self):
        for shell in SHELLS:
            with self.place(shell) as place:
                place.root.chmod(0o755)
                temporary = place.root / "any"
                temporary.mkdir()
                temporary.chmod(0o777)
                words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *shell]
                ran = place.run(words, TMPDIR=str(temporary))
                self.refused(ran, "cannot write", "BRV_INSTALL_DIR")
                self.assertEqual(len(ran[2].splitlines()), 1, ran)
                self.assertEqual(place.files(), [])
                for name in ("mine", "mine too/bin"):
                    folder = temporary / name
                    self.assertEqual(place.run(words, TMPDIR=str(temporary), BRV_INSTALL_DIR=str(folder))[::2], (0, ""))
                    share = temporary / name.removesuffix("/bin") / "share"
                    self.assertTrue((share / "man/man1/brv.1").is_file() and (folder / "brv").is_file())
                    ran = place.run(words, "--uninstall", TMPDIR=str(temporary), BRV_INSTALL_DIR=str(folder))
                    self.assertEqual(ran[::2], (0, ""))
                self.assertEqual(list(temporary.iterdir()) + place.files(), [])


if __name__ == "__main__":
    unittest.main()
