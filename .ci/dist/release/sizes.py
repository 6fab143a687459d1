"""The size of the programs, and what it is made of."""

import struct

from . import bundle
from .project import Stop, archives, program

# what a program may have, on any platform: 2 % more than was reached, see CONTRIBUTING.md, "What is shipped"
MOST = 44_300_000
SHOWN = 500_000


def gate():
    """Print the sizes of the programs in `dist/`; one that is too large stops."""
    found = archives()
    if not found:
        return "size        skipped: no archive in dist/"
    large = []
    for target, file in found.items():
        content = next(one for path, (one, _) in bundle.read(file).items() if path.endswith(f"/{program(target)}"))
        print(f"size        {target:<27} {len(content) / 1024**2:.1f} MiB; {shown(content)}")
        if len(content) > MOST:
            large.append(target)
    if large:
        raise Stop(f"larger than {MOST / 1024**2:.1f} MiB: {', '.join(large)}")
    return f"size        at most {MOST / 1024**2:.1f} MiB each"


def shown(content):
    """The larger sections, the largest first."""
    parts = sorted(sections(content), key=lambda part: -part[1])
    return ", ".join(f"{name} {size / 1e6:.1f}" for name, size in parts if size > SHOWN) or "sections unknown"


def sections(content):
    """Name and size of the sections of an ELF file of 64 bits; none of another format."""
    if content[:5] != b"\x7fELF\x02":
        return []
    start, = struct.unpack_from("<Q", content, 0x28)
    size, count, names = struct.unpack_from("<HHH", content, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", content, start + size * at) for at in range(count)]
    text = heads[names][4]
    return [(content[text + head[0] : content.index(b"\0", text + head[0])].decode(), head[5]) for head in heads]
