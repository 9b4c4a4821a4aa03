"""The default embedder: equal to sentence-transformers, light, and never another model."""

import subprocess
import sys

import numpy as np
import pytest

from ragbench.errors import ModelUnavailable, SpecError
from ragbench.ingest.embed import EMBEDDERS, MiniLM
from ragbench.ingest.embed._minilm import export
from ragbench.ingest.minilm import model_folder

TEXTS = [
    "What does a wire transfer cost?",
    "Outgoing international wires cost $45.00. " * 9,
    "word " * 400,  # 402 tokens: within the window of 512, beyond the model card's 256
    "word " * 900,  # beyond the window: the first 510 words count
    "银行的国际电汇费用是二十五美元。",
    "👩‍👩‍👧 café naïve €5 — “quoted”",
    "",
    "Tier | Fee\nGold | $1,250.00\n",
]


def test_vectors_equal_those_of_sentence_transformers():
    reference = EMBEDDERS.create(f"st(model='{model_folder()}', window=512)")
    ours, theirs = MiniLM().embed(TEXTS), reference.embed(TEXTS, "passage")
    assert ours.shape == theirs.shape == (len(TEXTS), 384)
    assert ours.dtype == np.float32
    assert (ours * theirs).sum(axis=1).min() >= 0.9999
    assert reference.count_truncated(TEXTS) == MiniLM().count_truncated(TEXTS) == 1
    assert not reference.has_prompts
    assert "dtype=fp32 window=512" in reference.identity


def test_bf16_is_another_embedder():
    full, half = (EMBEDDERS.create(f"st(model=minilm, dtype={d})") for d in ("fp32", "bf16"))
    assert len({MiniLM().identity, full.identity, half.identity}) == 3
    assert "dtype=bf16" in half.identity
    with pytest.raises(SpecError, match=r"dtype is bf16.*st\(model=minilm, dtype=bf16\)"):
        EMBEDDERS.create("minilm(dtype=bf16)")
    assert EMBEDDERS.create("minilm(dtype=fp32)") == MiniLM()
    cosine = (full.embed(TEXTS[:2], "query") * half.embed(TEXTS[:2], "query")).sum(axis=1)
    assert 0.99 < cosine.min() < 0.999999


def test_a_vector_has_length_one_and_does_not_depend_on_its_batch():
    together = MiniLM().embed(TEXTS)
    alone = np.concatenate([MiniLM().embed([text]) for text in TEXTS])
    assert np.abs(np.linalg.norm(together, axis=1) - 1).max() < 1e-5
    assert np.abs(together - alone).max() < 1e-5


def test_the_window_cuts_and_is_counted():
    # 7 words + [CLS] + [SEP] = 9 tokens: a window of 9 holds them, one of 8 does not.
    text = "one two three four five six seven"
    assert MiniLM(window=9).count_truncated([text]) == 0
    assert MiniLM(window=8).count_truncated([text, "one"]) == 1
    assert MiniLM().token_counts([text, "one"]) == [9, 3]
    cut, first_six = MiniLM(window=8).embed([text, "one two three four five six"])
    assert cut @ first_six > 0.99999
    with pytest.raises(SpecError, match="window is 1000; it must be from 3 to 512"):
        EMBEDDERS.create("minilm(window=1000)")


def test_the_default_chunk_fits_the_default_window():
    from ragbench.ingest.chunk import Recursive

    assert Recursive().size_tokens + 2 <= MiniLM().window


def test_embedding_imports_no_torch():
    code = (
        "import sys; from ragbench.ingest.embed import MiniLM; MiniLM().embed(['a']); "
        "print([m for m in ('torch', 'transformers', 'sentence_transformers') if m in sys.modules])"
    )
    MiniLM().embed(["the export exists"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_other_weights_are_refused(tmp_path):
    folder, cache = tmp_path / "model", tmp_path / "cache"
    folder.mkdir()
    with pytest.raises(ModelUnavailable, match="has no weights at"):
        export(folder, cache)
    (folder / "model.safetensors").write_bytes(b"other")
    # sha256(b"other") begins d9298a10d1b0
    with pytest.raises(ModelUnavailable, match=r"has sha256 d9298a10d1b0.*has 53aa51172d14"):
        export(folder, cache)
    assert list(cache.glob("*.onnx")) == []


def test_a_damaged_export_is_named(tmp_path, monkeypatch):
    path = tmp_path / ".cache" / "ragbench" / "models" / "minilm-53aa51172d14-fp32.onnx"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no model")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(ModelUnavailable, match=r"cannot be loaded.*Delete the file"):
        MiniLM().embed(["text"])


@pytest.mark.slow
def test_two_processes_make_one_export(tmp_path):
    code = (
        "import sys; from pathlib import Path; from ragbench.ingest.embed._minilm import export; "
        "from ragbench.ingest.minilm import model_folder; "
        "print(export(model_folder(), Path(sys.argv[1])).stat().st_size)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(command, **pipes) for _ in range(2)]
    outputs = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert outputs[0][0] == outputs[1][0]
    assert sum("Exporting" in errors for _, errors in outputs) == 1
    assert len(list(tmp_path.glob("*.onnx"))) == 1
    assert not list(tmp_path.glob("*.partial"))


def test_an_unreachable_hub_is_a_clear_error():
    code = (
        "from ragbench.ingest.embed import EMBEDDERS\n"
        "from ragbench.errors import ModelUnavailable\n"
        "try: EMBEDDERS.create('st(model=nobody/nothing)').embed(['a'], 'query')\n"
        "except ModelUnavailable as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={"PATH": "/usr/bin", "HF_HUB_OFFLINE": "1", "HOME": "/nonexistent"},
    )
    assert "The model 'nobody/nothing' cannot be loaded" in done.stdout
    assert "hf download nobody/nothing --local-dir FOLDER; then give the folder" in done.stdout
    assert "--embedder minilm" in done.stdout
