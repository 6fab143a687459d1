"""`check`: whether this commit can be released. It changes nothing."""

import os
import pathlib
import re
import subprocess

from . import sizes
from .project import ROOT, Stop, has, is_test, members, package, repository, version
from .project import run as call

# of all crates together, packed: 3.03 MB with the index of an organisation
MOST_CRATES = 3_100_000


def run(*words):
    if words not in ((), ("--quick",)):
        raise Stop(f"unknown argument {words[0]}; check takes --quick")
    print(f"repository  {repository()}")
    print(changelog())
    print(tags())
    clean()
    locked()
    print(crates())
    if has("cargo", "deny", "--version"):
        call("cargo", "deny", "check", "--config", ".deny.toml", quiet=True)
        print("deny        good")
    elif is_test() or words:
        print("deny        skipped: cargo-deny is not installed")
    else:
        raise Stop("cargo-deny is missing: cargo install --locked cargo-deny")
    print(sizes.gate())
    if words:
        print("skipped     publishing for trial, and the frozen schemas: --quick")
        return
    call("cargo", "publish", "--workspace", "--dry-run", "--locked")
    call("cargo", "test", "--locked", "--test", "it", "--", "versions::")


def changelog():
    """The version of Cargo.toml is the newest of the changelog, or what is written there is not released yet."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    heads = re.findall(r"^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$", text, re.MULTILINE)
    if not heads:
        raise Stop("CHANGELOG.md has no `## [VERSION] - DATE`")
    name, date = heads[0]
    if name == "Unreleased" and not here():
        return f"version     {version()}, not released yet"
    if name != version() or not date:
        raise Stop(f"CHANGELOG.md begins with [{name}], Cargo.toml has {version()}")
    others = {one["version"] for one in (package(name) for name in members())} - {version()}
    if others:
        raise Stop(f"crates of the workspace have other versions: {', '.join(sorted(others))}")
    return f"version     {version()} of {date}"


def here():
    """The tags of versions at this commit."""
    return [tag for tag in call("git", "tag", "--points-at", "HEAD", quiet=True).split() if re.match(r"v\d", tag)]


def tags():
    found = here()
    if len(found) > 1:
        raise Stop(f"this commit has two tags of versions: {' '.join(found)}")
    if found and found[0] != f"v{version()}":
        raise Stop(f"the tag is {found[0]}, Cargo.toml has {version()}")
    if os.environ.get("GITHUB_REF_TYPE") == "tag" and not found:
        raise Stop("the workflow runs for a tag, and this commit has none of a version")
    return f"tag         {found[0] if found else 'none yet'}"


def clean():
    changed = call("git", "status", "--porcelain", quiet=True)
    if changed:
        raise Stop("the work tree is not clean:\n" + "\n".join(f"  {line}" for line in changed.splitlines()[:8]))


def locked():
    if subprocess.run(["cargo", "metadata", "--locked", "--format-version", "1"], cwd=ROOT, capture_output=True).returncode:
        raise Stop("Cargo.lock is not current: run `cargo update --workspace`, and commit it")
    print("Cargo.lock  current")


def crates():
    """The crates as they would be published: only what `include` names, and not too large."""
    call("cargo", "package", "--workspace", "--no-verify", "--locked", "--quiet", quiet=True)
    folder = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "package"
    total = 0
    for name in members():
        manifest = package(name)
        listed = call("cargo", "package", "--list", "--locked", "-p", name, quiet=True).splitlines()
        if wrong := [file for file in listed if file.startswith(("tests/", ".ci/", ".github/", "target/"))]:
            raise Stop(f"the crate {name} has {wrong[0]}; see `include` in its Cargo.toml")
        missing = [key for key in ("description", "license") if not manifest[key]]
        if missing or not manifest["repository"] and not is_test():
            raise Stop(f"the manifest of {name} has no {', '.join(missing) or 'repository'}")
        size = (folder / f"{name}-{version()}.crate").stat().st_size
        print(f"crate       {name:<13} {len(listed):>5} files {size / 1000:>7.0f} kB")
        total += size
    if total > MOST_CRATES:
        raise Stop(f"the crates have {total / 1e6:.1f} MB, more than {MOST_CRATES / 1e6:.1f}")
    return f"crates      {total / 1e6:.2f} MB of at most {MOST_CRATES / 1e6:.1f}"
