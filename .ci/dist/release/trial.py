"""`try`: installs what is in dist/ in every way that this machine has, each time into an empty home, and removes it."""

import contextlib
import functools
import http.server
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import threading

from . import bundle
from .project import DIST, TARGETS, Stop, archives, label, program, version

TRIED, SKIPPED = [], []


def run():
    target = here()
    with served() as base:
        each("archive", archive, target)
        for shell in (["dash"], ["bash", "--posix"], ["busybox", "ash"]):
            # Git for Windows brings shells, for which there is no program
            is_here = has(shell[0]) and sys.platform != "win32"
            each(f"install.sh with {shell[0]}", installer, shell, base) if is_here else skip(shell[0])
        each("npm", npm, target) if has("npm") else skip("npm")
        each("pip", pip, target)
        each("mcpb", mcpb, target)
        is_root = sys.platform != "win32" and os.geteuid() == 0
        each("an empty root, as an image has", alone, target) if is_root else skip("chroot: not root")
        each("formula, parsed", formula) if has("ruby") else skip("formula: no ruby")
        each("scoop and server.json", documents)
        for shell in ("pwsh", "powershell"):
            if not has(shell):
                skip(f"install.ps1: no {shell}")
            elif sys.platform == "win32":
                each(f"install.ps1 with {shell}", windows_installer, shell, base)
            else:
                each("install.ps1, parsed", powershell)
    skip("cargo install, cargo binstall, brew, scoop, docker, attestations: they need what is published")
    for name in TRIED:
        print(f"good     {name}")
    for name in SKIPPED:
        print(f"skipped  {name}")
    print(f"{len(TRIED)} passed, 0 failed, {len(SKIPPED)} skipped")


def here():
    """The platform of this machine, of which there must be an archive."""
    system, processor = sys.platform, {"amd64": "x64", "x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    own = (system, processor.get(platform.machine().lower()))
    for target in archives():
        if TARGETS[target][:2] == own:
            return target
    raise Stop("dist/ has no archive for this machine")


def has(word):
    return shutil.which(word) is not None


def skip(name):
    SKIPPED.append(name)


def each(name, way, *more):
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder).resolve() / "home"
        home.mkdir()
        way(home, *more)
    TRIED.append(name)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served():
    """The address of `dist/` on loopback."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=DIST))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def call(home, *words, path=None, given=None, **more):
    """Run a program that knows nothing but its home."""
    env = {"HOME": str(home), "PATH": os.environ["PATH"], **more}
    if sys.platform == "win32":
        kept = ("SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP", "PROGRAMFILES")
        env |= {name: os.environ[name] for name in kept if name in os.environ}
        env |= {name: str(home) for name in ("USERPROFILE", "APPDATA", "LOCALAPPDATA") if name not in more}
    if path:
        env["PATH"] = os.pathsep.join([str(path), env["PATH"]])
    found = shutil.which(str(words[0]), path=env["PATH"]) or str(words[0])
    words = [found, *(str(word) for word in words[1:])]
    ran = subprocess.run(words, env=env, cwd=home, input=given, capture_output=True, encoding="utf-8", timeout=300)
    if ran.returncode:
        raise Stop(f"`{' '.join(words)}` ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def works(home, path):
    """The first minutes with brv, with the programs of a folder."""
    told = json.loads(call(home, "brv", "--version", "--json", path=path))["data"]
    if told["version"] != version():
        raise Stop(f"brv is {told['version']}, not {version()}")
    call(home, "brv", "demo", path=path)
    project = home / "project"
    project.mkdir()
    call(home, "brv", "-C", project, "init", "-q", path=path)
    title = ["--into", "auth", "--title", "Tokens", "--reason", "decided"]
    call(home, "brv", "-C", project, "curate", "Tokens live 12 hours.", *title, path=path)
    if has("git"):
        call(home, "git", "brv", "-C", project, "status", path=path)
    call(home, "brv", "-C", project, "query", "How long do tokens live?", path=path)
    call(home, "brv", "-C", project, "undo", path=path)
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "try", "version": "1"}}}
    answer = call(home, "brv", "-C", project, "mcp", path=path, given=json.dumps(asked) + "\n")
    if json.loads(answer.splitlines()[0])["result"]["serverInfo"]["name"] != "brv":
        raise Stop(f"brv mcp answers {answer}")


def empty(home, *below):
    """What was installed is gone."""
    left = [file for folder in below for file in (home / folder).rglob("*brv*") if file.is_file() or file.is_symlink()]
    if left:
        raise Stop(f"left behind: {left[0]}")


def archive(home, target):
    for path, (content, is_program) in bundle.read(archives()[target]).items():
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(0o755 if is_program else 0o644)
    works(home, home / f"brv-{label()}-{target}")


def installer(home, shell, base):
    script = (DIST / "install.sh").read_text("utf-8")
    call(home, *shell, given=script, BRV_DOWNLOAD_BASE=base)
    works(home, home / ".local/bin")
    call(home, *shell, "-s", "--", "--uninstall", given=script)
    empty(home, ".local")


def npm(home, target):
    system, processor, _ = TARGETS[target]
    files = [DIST / f"git-brv-{system}-{processor}-{label()}.tgz", DIST / f"git-brv-{label()}.tgz"]
    flags = ["--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--prefix", home / "npm"]
    call(home, "npm", "install", "--global", *flags, *files)
    works(home, home / "npm" if sys.platform == "win32" else home / "npm/bin")
    call(home, "npm", "uninstall", "--global", "--prefix", home / "npm", "git-brv", f"git-brv-{system}-{processor}")
    empty(home, "npm")


def pip(home, target):
    wheel = next(DIST.glob(f"brv-{version()}-py3-none-{TARGETS[target][2]}.whl"))
    call(home, sys.executable, "-m", "venv", home / "own")
    folder = home / "own" / ("Scripts" if sys.platform == "win32" else "bin")
    call(home, folder / "python", "-m", "pip", "install", "--quiet", "--no-index", wheel)
    works(home, folder)
    call(home, folder / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "brv")
    empty(home, "own")


def mcpb(home, target):
    inside = bundle.read(DIST / f"brv-{label()}-{target}.mcpb")
    manifest = json.loads(inside["manifest.json"][0])
    entry = manifest["server"]["entry_point"]
    if not inside[entry][1]:
        raise Stop(f"{entry} in the bundle may not be executed")
    (home / program(target)).write_bytes(inside[entry][0])
    (home / program(target)).chmod(0o755)
    call(home, home / program(target), "--version")


def alone(home, target):
    """Nothing of a system is needed but the program."""
    archive(home, target)
    root = home / "root"
    root.mkdir()
    shutil.copy(home / f"brv-{label()}-{target}" / program(target), root)
    call(home, "chroot", root, "/brv", "--version")
    call(home, "chroot", root, "/brv", "init", "-q", HOME="/")


def formula(home):
    call(home, "ruby", "-c", DIST / "brv.rb")


def documents(home):
    for name in ("brv.scoop.json", "server.json", "brv.cdx.json"):
        json.loads((DIST / name).read_text("utf-8"))


def windows_installer(home, shell, base):
    folder = home / "programs of me"
    own = {"BRV_INSTALL_DIR": str(folder), "BRV_DOWNLOAD_BASE": base}
    words = [shell, "-NoProfile", "-ExecutionPolicy", "Bypass", "-File", DIST / "install.ps1"]
    call(home, *words, **own)
    works(home, folder)
    call(home, *words, **own)
    call(home, *words, "-Uninstall", **own)
    empty(home, "programs of me")


def powershell(home):
    check = "$e = $null; [void][Management.Automation.Language.Parser]::ParseFile('%s', [ref]$null, [ref]$e); exit $e.Count"
    call(home, "pwsh", "-NoProfile", "-Command", check % (DIST / "install.ps1"))
