"""What is promised, frozen with each version in `fixtures/schemas/`: the schemas of JSON output and of what commands read,
and the commands with their flags and exit codes."""

import json
import os
import pathlib
import tempfile

from .project import ROOT, Stop, metadata, run as call

FROZEN = ROOT / "fixtures/schemas"


def today():
    """What is promised today, by the names of its files."""
    call("cargo", "build", "--quiet", "--locked", "--bin", "brv")
    program = pathlib.Path(metadata()["target_directory"]) / "debug" / ("brv.exe" if os.name == "nt" else "brv")
    names = [known["schema"] for known in ask(program)["schemas"]]
    if not names:
        raise Stop(f"{program} prints no schemas")
    names += json.loads((ROOT / "src/say/schemas.json").read_text("utf-8"))["inputs"]
    found = [ask(program, name) for name in names]
    return {f"{one['name'].replace('/', '-')}.json": drawn(one["document"]) for one in found} | {"commands.json": commands()}


def commands():
    """Commands, flags and exit codes, as the test that compares them writes them."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "commands.json"
        words = ["--quiet", "--locked", "--test", "it", "--", "versions::commands"]
        call("cargo", "test", *words, env={**os.environ, "BRV_COMMANDS": str(file)})
        return file.read_text("utf-8")


def drawn(document):
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def ask(program, *words):
    return json.loads(call(program, "schema", *words, "--json", quiet=True))["data"]


def freeze(version, files):
    """Keep files under a version. What is frozen never changes."""
    folder = FROZEN / version
    if folder.exists():
        raise Stop(f"{folder} is there already")
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
