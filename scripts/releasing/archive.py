"""Archives whose bytes follow from their content and SOURCE_DATE_EPOCH: no owners, no times of their own, sorted names."""

import gzip
import hashlib
import lzma
import os
import tarfile


def entry(name, path, seconds):
    made = tarfile.TarInfo(name)
    made.mtime = seconds
    if os.path.islink(path):
        made.type, made.linkname, made.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
    elif os.path.isdir(path):
        made.type, made.mode = tarfile.DIRTYPE, 0o755
    else:
        made.size, made.mode = os.path.getsize(path), 0o755 if os.access(path, os.X_OK) else 0o644
    return made


def names_in(folder):
    """The folder and everything below it, as paths relative to the folder above it."""
    above = os.path.dirname(folder)
    found = [os.path.basename(folder)]
    for place, folders, files in os.walk(folder):
        found += [os.path.relpath(os.path.join(place, name), above) for name in folders + files]
    return sorted(found)


def pack(folder, target, seconds):
    """Packs a folder into target, .tar.xz or .tar.gz."""
    above = os.path.dirname(folder)
    with open(target, "wb") as raw:
        stream = (lzma.LZMAFile(raw, "wb", preset=6) if target.endswith(".xz")
                  else gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=seconds))
        with stream, tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name in names_in(folder):
                path = os.path.join(above, name)
                made = entry(name, path, seconds)
                if made.isreg():
                    with open(path, "rb") as content:
                        archive.addfile(made, content)
                else:
                    archive.addfile(made)


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def sums(folder, target):
    """Writes the SHA-256 of every file of a folder, as sha256sum does."""
    names = sorted(name for name in os.listdir(folder) if name != target)
    with open(os.path.join(folder, target), "w", encoding="utf-8") as file:
        file.writelines("%s  %s\n" % (sha256(os.path.join(folder, name)), name) for name in names)
