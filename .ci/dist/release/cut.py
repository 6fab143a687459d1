"""`cut X.Y.Z`: the commit and the tag of a version. Pushes nothing."""

import datetime
import os
import re
import shutil
import subprocess

from . import check, schemas
from .project import ROOT, STAND_IN, Stop, commit, is_test, repository, run as call, version

HEAD = "## [Unreleased]\n"
# what a cut changes, besides the frozen schemas
FILES = ("Cargo.toml", "Cargo.lock", "CHANGELOG.md")


def run(wanted):
    if is_test():
        raise Stop(f"{STAND_IN} is set: a version is not cut with the address of a test")
    if not re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", wanted):
        raise Stop(f"{wanted} is not a version: X.Y.Z")
    numbers = [tuple(map(int, text.split("."))) for text in (wanted, version())]
    tagged = call("git", "tag", "--list", f"v{wanted}", quiet=True)
    if tagged or numbers[0] < numbers[1]:
        raise Stop(f"{wanted} is there already; Cargo.toml has {version()}")
    repository()
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    body = changes.partition(HEAD)[2].partition("\n## [")[0]
    if not body.strip():
        raise Stop(f"CHANGELOG.md has nothing below `{HEAD.strip()}`")
    before = commit()
    # as `.ci/run` has it, so that nothing is built twice
    os.environ["CARGO_INCREMENTAL"] = "0"
    # for the tests that compare with released versions
    os.environ["BRV_CUT"] = wanted
    check.run()
    call(".ci/run")
    # the program is built already; with the new version it would be built anew
    today = schemas.today()
    # that took half an hour, in which somebody may have worked here
    check.clean()
    if commit() != before:
        raise Stop("another commit was checked out meanwhile: cut again")
    try:
        write(wanted, changes)
        schemas.freeze(wanted, today)
        call("git", "add", *FILES, "fixtures/schemas")
        call("git", "commit", "--quiet", "-m", f"release: {wanted}")
        call("git", "tag", "-a", f"v{wanted}", "-m", f"brv {wanted}")
    except BaseException:
        take_back(wanted, before)
        raise
    print(f"committed and tagged; look at it, then:\n  git push --atomic origin HEAD v{wanted}")


def write(wanted, changes):
    """The version, wherever it stands, and the date."""
    manifest = ROOT / "Cargo.toml"
    text = manifest.read_text("utf-8")
    old = re.escape(version())
    text = re.sub(rf'(?m)^version = "{old}"$', f'version = "{wanted}"', text, count=1)
    text = re.sub(rf'(?m)^(brv-\w+ = .*version = )"=?{old}"', rf'\1"={wanted}"', text)
    manifest.write_text(text, "utf-8")
    day = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    (ROOT / "CHANGELOG.md").write_text(changes.replace(HEAD, f"## [{wanted}] - {day}\n", 1), "utf-8")
    call("cargo", "update", "--workspace", "--quiet")


def take_back(wanted, before):
    """Leave the work tree, the branch and the tags as they were: they were clean, and without this version."""
    for words in (("tag", "-d", f"v{wanted}"), ("reset", "-q", before), ("checkout", "-q", "--", *FILES)):
        subprocess.run(["git", *words], cwd=ROOT, capture_output=True)
    shutil.rmtree(schemas.FROZEN / wanted, ignore_errors=True)
