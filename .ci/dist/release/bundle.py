"""Archives that are equal byte by byte wherever they are made: sorted, with one time, owner and mode."""

import gzip
import io
import lzma
import tarfile
import time
import zipfile


def tar(files, epoch):
    """A tar of `{path: (bytes, is_program)}`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as out:
        for path, (content, is_program) in sorted(files.items()):
            info = tarfile.TarInfo(path)
            info.size, info.mtime, info.mode = len(content), epoch, 0o755 if is_program else 0o644
            info.uname = info.gname = "root"
            out.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def tar_xz(files, epoch):
    return lzma.compress(tar(files, epoch), preset=9 | lzma.PRESET_EXTREME)


def tar_gz(files, epoch):
    return gzip.compress(tar(files, epoch), 9, mtime=epoch)


def zip(files, epoch):
    """A zip; its times have no earlier year than 1980, and even seconds."""
    packed = io.BytesIO()
    moment = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for path, (content, is_program) in sorted(files.items()):
            info = zipfile.ZipInfo(path, moment)
            info.create_system, info.compress_type = 3, zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if is_program else 0o100644) << 16
            out.writestr(info, content)
    return packed.getvalue()


def read(file):
    """The files of an archive, as [`tar`] takes them."""
    if file.suffix in (".zip", ".mcpb", ".whl"):
        with zipfile.ZipFile(file) as packed:
            return {i.filename: (packed.read(i), bool(i.external_attr >> 16 & 0o100)) for i in packed.infolist()}
    with tarfile.open(file, "r:*") as packed:
        return {i.name: (packed.extractfile(i).read(), bool(i.mode & 0o100)) for i in packed if i.isfile()}
