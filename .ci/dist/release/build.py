"""`build TARGET`: the program for a platform, its manual and completions, in one archive."""

import os
import pathlib
import re
import subprocess
import tempfile

from . import bundle, notices
from .project import DIST, ROOT, TARGETS, Stop, archive, commit, epoch, has, is_test, label, program, repository
from .project import run as call

SHELLS = {"bash": "brv.bash", "zsh": "_brv", "fish": "brv.fish", "powershell": "brv.ps1"}
# GNU's linker cannot fold functions with the same code; rustup's toolchains have one that can
LLD = "lib/rustlib/{host}/bin/gcc-ld"


def run(target):
    if target not in TARGETS:
        raise Stop(f"{target} is none of {', '.join(TARGETS)}")
    repository()
    built = compiled(target)
    files = {name: ((ROOT / name).read_bytes(), False) for name in ("README.md", "CHANGELOG.md")}
    files |= {file.name: (file.read_bytes(), False) for file in ROOT.glob("LICENSE-*")}
    for name in ("brv", "git-brv"):
        file = built / program(target).replace("brv", name)
        files[file.name] = (file.read_bytes(), True)
    files |= pages(built / program(target))
    text, bare = notices.third_party(target)
    files["THIRD-PARTY.txt"] = (text.encode(), False)
    inside = {f"brv-{label()}-{target}/{name}": file for name, file in files.items()}
    if not is_test() and (left := placeholder(inside)):
        raise Stop(f"a placeholder is left: {left}")
    pack = bundle.zip if "windows" in target else bundle.tar_xz
    DIST.mkdir(exist_ok=True)
    packed = archive(target)
    packed.write_bytes(pack(inside, epoch()))
    print(f"{packed.name}: {packed.stat().st_size / 1e6:.1f} MB; {len(bare)} crates have no licence text of their own")


def placeholder(files):
    """The address of a test, or a name that nothing filled, with its file."""
    found = ((name, re.search(rb"example\.invalid|@(REPOSITORY|BASE|VERSION|LABEL|SUM:[\w-]+)@", content)) for name, (content, _) in files.items())
    return next((f"{one[0].decode()} in {name}" for name, one in found if one), None)


def compiled(target):
    """The folder with the programs."""
    cargo = ["cargo", "auditable"] if has("cargo", "auditable", "--version") else ["cargo"]
    if len(cargo) == 1:
        if not is_test():
            raise Stop("cargo-auditable is missing: cargo install --locked cargo-auditable")
        print("skipped: cargo-auditable is not installed, so the program does not list its parts")
    folder = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    words = [*cargo, "build", "--locked", "--profile", "dist", "--target", target, "--bins"]
    if offline := os.environ.get("CARGO_NET_OFFLINE"):
        words += ["--offline"] if offline == "true" else []
    call(*words, env=environment(target, folder))
    built = folder / target / "dist"
    if "darwin" in target:
        for name in ("brv", "git-brv"):
            call("codesign", "--force", "--sign", "-", built / name)
    return built


def environment(target, folder):
    """No path of this machine gets into the program, so that two machines build the same."""
    home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    flags = [f"--remap-path-prefix={home}=/cargo", f"--remap-path-prefix={ROOT}=/brv"]
    # neither a libc of the system nor the runtime that Visual Studio installs
    if target.endswith(("-musl", "-msvc")):
        flags.append("-Ctarget-feature=+crt-static")
    if "linux" in target:
        sysroot = call("rustc", "--print", "sysroot", quiet=True)
        host = next(line for line in call("rustc", "-vV", quiet=True).splitlines() if line.startswith("host: "))
        lld = pathlib.Path(sysroot) / LLD.format(host=host.removeprefix("host: "))
        if lld.is_dir():
            flags += [f"-Clink-arg=-B{lld}", "-Clink-arg=-fuse-ld=lld", "-Clink-arg=-Wl,--icf=all"]
            if target.endswith("-musl"):
                # the list of addresses that depend on where the program stands: 19 kB instead of 1.3 MB
                flags.append("-Clink-arg=-Wl,--pack-dyn-relocs=relr")
    if "msvc" in target:
        flags += ["-Clink-arg=/OPT:REF,ICF", "-Clink-arg=/Brepro"]
    maps = f"-ffile-prefix-map={home}=/cargo -ffile-prefix-map={folder.resolve()}=/target"
    own = {} if "msvc" in target else {f"CFLAGS_{target.replace('-', '_')}": maps}
    return {
        **os.environ,
        **own,
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
        "CARGO_INCREMENTAL": "0",
        "SOURCE_DATE_EPOCH": str(epoch()),
        "BRV_COMMIT": commit(),
    }


def pages(built):
    """The manual and the completions, printed by the program that was built, or by one for this machine."""
    try:
        subprocess.run([built, "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        call("cargo", "build", "--locked", "--bin", "brv")
        built = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "debug/brv"
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        env = {**os.environ, "HOME": folder, "SOURCE_DATE_EPOCH": str(epoch())}
        call(built, "man", "--out", at / "man1", env=env, cwd=folder, quiet=True)
        files = {f"man/man1/{page.name}": (page.read_bytes(), False) for page in (at / "man1").iterdir()}
        for shell, name in SHELLS.items():
            text = subprocess.run([built, "completions", shell], check=True, capture_output=True, env=env, cwd=folder)
            files[f"completions/{name}"] = (text.stdout, False)
        return files
