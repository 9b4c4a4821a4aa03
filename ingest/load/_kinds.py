"""Files that are no documents, known by their names or by being empty: skipped, not failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["kind_of"]

_KINDS = {
    "an image": "png jpg jpeg jpe gif bmp tif tiff webp svg svgz ico icns heic heif avif psd ai "
    "eps xcf raw cr2 nef dng jp2 jxl",
    "sound": "mp3 wav ogg oga flac m4a aac wma opus mid midi",
    "a film": "mp4 m4v mov avi mkv webm wmv flv mpg mpeg",
    "a font": "ttf otf woff woff2 eot",
    "an archive": "zip tar gz tgz bz2 tbz xz txz 7z rar zst lz4 jar war whl deb rpm iso dmg cab",
    "code": "py pyi pyc ipynb js mjs cjs jsx ts tsx vue css scss sass less java kt kts scala go rs "
    "c h cc cpp cxx hpp cs fs vb swift m mm rb php pl pm lua r jl sh bash zsh fish ps1 bat cmd sql "
    "proto graphql wasm map gradle cmake mk tf lean hs ml ex exs erl clj dart asm s",
    "configuration": "toml ini cfg conf env properties editorconfig plist yaml yml lock sum mod",
    "a program or library": "exe dll so dylib a o obj lib bin class msi apk app",
    "data of a program": "db sqlite sqlite3 mdb parquet feather arrow npy npz pkl pickle pt pth "
    "onnx safetensors h5 hdf5 joblib pid bak tmp swp swo orig rej part crdownload lnk url "
    "torrent ds_store pem key crt cer p12",
}
_BY_SUFFIX = {f".{word}": kind for kind, words in _KINDS.items() for word in words.split()}
_BY_NAME = {
    **dict.fromkeys(("makefile", "dockerfile", "gemfile", "rakefile", "procfile"), "code"),
    **dict.fromkeys(("package-lock.json", "composer.lock", "pnpm-lock.yaml"), "configuration"),
    **dict.fromkeys(("thumbs.db", "desktop.ini"), "data of a program"),
}


def kind_of(path: Path, suffixes: Sequence[str] = ()) -> str:
    """What a file is that is no document, empty when it may be one.

    Args:
        path: the file.
        suffixes: endings that the loader reads, whatever they are otherwise.

    >>> kind_of(Path("logo.PNG")), kind_of(Path("~$fees.docx")), kind_of(Path("fees.docx"))
    ('an image', 'the lock of a file that is open', '')
    """
    name = path.name.lower()
    if name.startswith(("~$", ".~lock.")):
        return "the lock of a file that is open"
    suffix = path.suffix.lower()
    return _BY_NAME.get(name) or ("" if suffix in suffixes else _BY_SUFFIX.get(suffix, ""))
