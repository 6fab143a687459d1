"""What every step knows: the folders, the version, the address of the repository, the time of the commit."""

import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEMPLATES = ROOT / ".ci/dist"
# archives and what is made from them
DIST = ROOT / "dist"

# each platform, and what npm and Python call it
TARGETS = {
    "x86_64-unknown-linux-musl": ("linux", "x64", "manylinux2014_x86_64.musllinux_1_1_x86_64"),
    "aarch64-unknown-linux-musl": ("linux", "arm64", "manylinux2014_aarch64.musllinux_1_1_aarch64"),
    "aarch64-apple-darwin": ("darwin", "arm64", "macosx_11_0_arm64"),
    "x86_64-apple-darwin": ("darwin", "x64", "macosx_10_12_x86_64"),
    "x86_64-pc-windows-msvc": ("win32", "x64", "win_amd64"),
}
STAND_IN = "BRV_RELEASE_REPOSITORY"


class Stop(Exception):
    """What stops a step, in one line."""


def run(*words, quiet=False, **more):
    """Run a program, and give its standard output where that is wanted."""
    words = [str(word) for word in words]
    more.setdefault("cwd", ROOT)
    if quiet:
        more |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        ran = subprocess.run(words, encoding="utf-8", **more)
    except OSError as error:
        raise Stop(f"cannot run {words[0]}: {error.strerror}") from error
    if ran.returncode:
        last = (ran.stderr or "").strip().splitlines()[-8:]
        raise Stop("\n  ".join([f"`{' '.join(words)}` failed with {ran.returncode}", *last]))
    return (ran.stdout or "").strip()


def has(*words):
    """Whether a program runs here."""
    if not shutil.which(words[0]):
        return False
    return subprocess.run(words, capture_output=True, cwd=ROOT).returncode == 0


@functools.cache
def metadata():
    return json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1", quiet=True))


def package(name="brv"):
    return next(package for package in metadata()["packages"] if package["name"] == name)


def members():
    """The crates of the workspace in the order in which they are published: each after those that it uses."""
    packages = {package["name"]: package for package in metadata()["packages"]}
    order = []

    def visit(name):
        for other in packages[name]["dependencies"]:
            if other["name"] in packages and other["kind"] != "dev":
                visit(other["name"])
        if name not in order:
            order.append(name)

    for name in sorted(packages):
        visit(name)
    return order


def is_test():
    return bool(os.environ.get(STAND_IN))


def repository():
    """The address, without a slash at its end."""
    stand_in = os.environ.get(STAND_IN)
    if stand_in:
        host = r"(http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?|https://example\.invalid)"
        if not re.fullmatch(host + r"/[\w./-]+", stand_in):
            raise Stop(f"{STAND_IN} is for tests: an address of this machine, or of example.invalid")
        return stand_in.rstrip("/")
    address = package()["repository"] or ""
    if not address:
        raise Stop("set `repository` in [workspace.package] of Cargo.toml to the address, https://HOST/OWNER/NAME")
    if not re.fullmatch(r"https://[\w.-]+/[\w.-]+/[\w.-]+", address) or "example." in address:
        raise Stop(f"`repository` in Cargo.toml is not https://HOST/OWNER/NAME: {address}")
    return address


def version():
    return package()["version"]


def label():
    """The version in the names of archives."""
    return version() + ("-test" if is_test() else "")


def base():
    """Where the archives of this version are downloaded from."""
    return f"{repository()}/releases/download/v{version()}"


def commit():
    return run("git", "rev-parse", "HEAD", quiet=True)


def epoch():
    """The time in all archives: that of the commit."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct", quiet=True))


def archive(target):
    """The archive of a platform."""
    ending = "zip" if "windows" in target else "tar.xz"
    return DIST / f"brv-{label()}-{target}.{ending}"


def archives():
    """The archives that are there, by platform."""
    return {target: archive(target) for target in TARGETS if archive(target).is_file()}


def program(target):
    return "brv.exe" if "windows" in target else "brv"


def checksum(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def filled(name, **more):
    """A template with its values. One that is left open is a mistake."""
    text = (TEMPLATES / name).read_text("utf-8")
    values = {"REPOSITORY": repository(), "BASE": base(), "VERSION": version(), "LABEL": label(), **more}
    text = re.sub(r"@([A-Z]+)@", lambda found: values.get(found[1], found[0]), text)
    sums = {target: checksum(file) for target, file in archives().items()}
    text = re.sub(r"@SUM:([\w-]+)@", lambda found: sums.get(found[1], ""), text)
    if left := re.search(r"@[A-Z]{3,}\b[^ ]*@", text):
        raise Stop(f"{name} has {left[0]}, which nothing fills")
    return text
