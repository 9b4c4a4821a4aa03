"""Models in local folders, through torch, ONNX and as static tables; each tiny and random."""

import json
import socket
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from ragbench.errors import ModelUnavailable, SpecError
from ragbench.ingest.embed import EMBEDDERS, MiniLM
from ragbench.ingest.embed._minilm import export, export_folder
from ragbench.ingest.minilm import model_folder

LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    ":",
    *LETTERS,
    *(f"##{c}" for c in LETTERS),
]
TEXTS = ["wire", "what does it cost", "a b c d e f g h", "", "query"]


def make_model(folder, pooling="mean", prompts=None):
    """A BERT of 2 layers and 32 dimensions, random, with one token a letter and 64 positions."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    raw = folder.parent / f"{folder.name}-raw"
    raw.mkdir()
    (raw / "vocab.txt").write_text("\n".join(VOCABULARY))
    BertTokenizerFast(str(raw / "vocab.txt"), model_max_length=64).save_pretrained(raw)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(VOCABULARY), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).eval().save_pretrained(raw)
    modules = [Transformer(str(raw)), Pooling(32, pooling)]
    SentenceTransformer(modules=modules, prompts=prompts, device="cpu").save(str(folder))
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def tiny_cls(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "tiny"
    return make_model(folder, "cls", {"query": "ask: ", "document": "text: "})


@pytest.fixture(scope="session")
def exported(tiny, tiny_cls, tmp_path_factory):
    """Both models as ONNX folders: the files of the first folder, and model.onnx beside them."""
    import shutil

    import torch
    from transformers import AutoModel

    folders = {}
    for name, source in (("mean", tiny), ("cls", tiny_cls)):
        folder = tmp_path_factory.mktemp("onnx") / "tiny"
        shutil.copytree(source, folder)
        model = AutoModel.from_pretrained(source, attn_implementation="eager").eval()

        class Positional(torch.nn.Module):
            def __init__(self, model):
                super().__init__()
                self.model = model

            def forward(self, input_ids, attention_mask, token_type_ids):
                found = self.model(input_ids, attention_mask, token_type_ids)
                return found.last_hidden_state, found.pooler_output

        example = torch.ones((2, 8), dtype=torch.long)
        axes = {0: "batch", 1: "tokens"}
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                Positional(model), (example, example, example), str(folder / "model.onnx"),
                input_names=["input_ids", "attention_mask", "token_type_ids"],
                output_names=["last_hidden_state", "pooler_output"],
                dynamic_axes=dict.fromkeys(
                    ["input_ids", "attention_mask", "token_type_ids", "last_hidden_state"], axes
                ),
                opset_version=17, dynamo=False,
            )  # fmt: skip
        folders[name] = folder
    return folders


def st(folder, **arguments):
    more = "".join(f", {key}={value}" for key, value in arguments.items())
    return EMBEDDERS.create(f"st(model='{folder}'{more})")


def onnx(folder, **arguments):
    more = "".join(f", {key}={value}" for key, value in arguments.items())
    return EMBEDDERS.create(f"onnx(path='{folder}'{more})")


def test_a_local_model_gives_unit_vectors(tiny):
    vectors = st(tiny).embed(TEXTS, "passage")
    assert vectors.shape == (5, 32)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6
    assert not st(tiny).has_prompts
    assert len(st(tiny).embed([], "query")) == 0


def test_a_dimension_is_the_head_of_the_whole_vector(tiny):
    whole, head = (st(tiny, **dim).embed(TEXTS, "query") for dim in ({}, {"dim": 8}))
    expected = whole[:, :8] / np.linalg.norm(whole[:, :8], axis=1, keepdims=True)
    assert np.abs(head - expected).max() < 1e-6
    assert "dim=8" in st(tiny, dim=8).identity
    with pytest.raises(ModelUnavailable, match="has 32 dimensions, fewer than dim=33"):
        st(tiny, dim=33).embed(["a"], "query")
    with pytest.raises(SpecError, match="dim is 0; it must be at least 1"):
        st(tiny, dim=0)


def test_own_prompts_are_written_before_the_texts(tiny_cls):
    with_prompts, without = st(tiny_cls), st(tiny_cls, prompts="none")
    assert (with_prompts.has_prompts, without.has_prompts) == (True, False)
    for kind, prompt in (("query", "ask: "), ("passage", "text: ")):
        ours = with_prompts.embed(["wire"], kind)
        assert ours == pytest.approx(without.embed([prompt + "wire"], kind), abs=1e-6)
        assert np.abs(ours - without.embed(["wire"], kind)).max() > 1e-3
    assert 'prompts={"query": "ask: ", "passage": "text: "}' in with_prompts.identity
    assert "prompts=none" in without.identity


def test_a_family_in_a_folders_name_has_its_prompts(tiny, tmp_path):
    folder = tmp_path / "tiny-e5"
    folder.symlink_to(tiny)
    family, plain = st(folder), st(tiny)
    ours = family.embed(["wire"], "query")
    assert ours == pytest.approx(plain.embed(["query: wire"], "query"), abs=1e-6)
    assert family.identity != plain.identity
    # [CLS] p a s s a g e : w i r e [SEP]: the prompt counts, one token a letter.
    assert family.token_counts(["wire"]) == [14]
    assert plain.token_counts(["wire"]) == [6]


def test_window_and_what_it_cuts(tiny):
    # "abcde": [CLS] a ##b ##c ##d ##e [SEP] = 7 tokens.
    assert st(tiny, window=7).count_truncated(["abcde", "abcdef"]) == 1
    cut, five = st(tiny, window=7).embed(["abcdefgh", "abcde"], "passage")
    assert cut == pytest.approx(five, abs=1e-6)
    assert st(tiny).count_truncated(["a " * 62, "a " * 63]) == 1  # 62 + 2 = 64 positions
    with pytest.raises(SpecError, match=r"window is 65; the model .* has 64 positions"):
        st(tiny, window=65).embed(["a"], "query")
    with pytest.raises(SpecError, match="window is 2; it must be at least 3"):
        st(tiny, window=2)


def test_identity_covers_all_that_computes(tiny, tiny_cls):
    specs = [st(tiny), st(tiny_cls), st(tiny, dtype="bf16"), st(tiny, window=9), st(tiny, dim=9)]
    assert len({embedder.identity for embedder in specs}) == 5
    # Same weights, another pooling.
    weights = [embedder.identity.split("weights=")[1].split()[0] for embedder in specs[:2]]
    assert weights[0] != weights[1]
    assert st(tiny).identity == st(tiny).identity


def test_a_folder_without_a_model_is_a_clear_error(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"cannot be loaded.*must hold a sentence-transf"):
        st(tmp_path).embed(["a"], "query")


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_onnx_equals_torch(exported, pooling):
    reference, ours = st(exported[pooling]), onnx(exported[pooling])
    for kind in ("query", "passage"):
        assert ours.embed(TEXTS, kind) == pytest.approx(reference.embed(TEXTS, kind), abs=1e-5)
    assert ours.has_prompts == reference.has_prompts == (pooling == "cls")
    assert ours.token_counts(TEXTS) == reference.token_counts(TEXTS)
    assert f"pooling={pooling} window=64" in ours.identity
    assert onnx(exported[pooling], pooling=pooling).identity == ours.identity
    dim = onnx(exported[pooling], dim=8)
    assert dim.embed(TEXTS, "query").shape == (5, 8)
    assert len(ours.embed([], "query")) == 0


def test_onnx_window(exported):
    assert onnx(exported["mean"], window=7).count_truncated(["abcde", "abcdef"]) == 1
    cut, five = onnx(exported["mean"], window=7).embed(["abcdefgh", "abcde"], "passage")
    assert cut == pytest.approx(five, abs=1e-6)
    with pytest.raises(SpecError, match="window is 65"):
        onnx(exported["mean"], window=65).embed(["a"], "query")


def test_onnx_takes_a_graph_that_pools_by_itself(tmp_path):
    folder = tmp_path / "minilm"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").symlink_to(export(model_folder(), export_folder()))
    (folder / "tokenizer.json").symlink_to(model_folder() / "tokenizer.json")
    with pytest.raises(ModelUnavailable, match=r"says how many tokens.*window=512"):
        onnx(folder).embed(["a"], "query")
    assert onnx(folder, window=512).embed(TEXTS, "query") == pytest.approx(
        MiniLM().embed(TEXTS), abs=1e-5
    )
    with pytest.raises(ModelUnavailable, match=r"gives embedding \(rank 2\), and pooling is mean"):
        onnx(folder, window=512, pooling="mean").embed(["a"], "query")


def test_onnx_does_not_guess_the_pooling(exported, tmp_path):
    for name in ("model.onnx", "tokenizer.json", "config.json"):
        (tmp_path / name).symlink_to(exported["mean"] / name)
    with pytest.raises(ModelUnavailable, match="pooling is not known"):
        onnx(tmp_path).embed(["a"], "query")
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(ModelUnavailable, match="pools by pooling_mode_max_tokens"):
        onnx(tmp_path).embed(["a"], "query")


def test_onnx_names_what_is_absent_or_damaged(exported, tmp_path):
    with pytest.raises(ModelUnavailable, match="does not exist"):
        _ = onnx(tmp_path / "no").identity
    with pytest.raises(ModelUnavailable, match=r"holds no model\.onnx"):
        _ = onnx(tmp_path).identity
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelUnavailable, match=r"tokenizer\.json' cannot be read"):
        _ = onnx(tmp_path, window=9, pooling="cls").identity
    with pytest.raises(ModelUnavailable, match=r"tokenizer\.json' cannot be read"):
        onnx(tmp_path, window=9, pooling="cls").embed(["a"], "query")
    (tmp_path / "tokenizer.json").write_text("nothing")
    with pytest.raises(ModelUnavailable, match="describes no tokenizer"):
        onnx(tmp_path, window=9, pooling="cls").embed(["a"], "query")
    (tmp_path / "tokenizer.json").write_text((exported["mean"] / "tokenizer.json").read_text())
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        onnx(tmp_path, window=9, pooling="cls").embed(["a"], "query")


@pytest.fixture
def static_folder(tmp_path):
    """Tokens [UNK], red and car, with vectors (9, 9), (1, 0) and (0, 1)."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "red": 1, "car": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    table = np.array([[9, 9], [1, 0], [0, 1]], dtype=np.float16)
    save_file({"embeddings": table}, tmp_path / "model.safetensors")
    return tmp_path


def test_a_static_text_is_the_mean_of_its_tokens(static_folder):
    model = EMBEDDERS.create(f"static(path='{static_folder}')")
    # red red car: (2/3, 1/3), scaled (2, 1)/sqrt(5). Unknown words have no part in it.
    vectors = model.embed(["red red car", "red blue", "blue", ""], "passage")
    expected = [[2 / 5**0.5, 1 / 5**0.5], [1, 0], [0, 0], [0, 0]]
    assert vectors == pytest.approx(np.array(expected))
    assert model.count_truncated(["red " * 9999]) == 0
    head = EMBEDDERS.create(f"static(path='{static_folder}', dim=1)")
    assert head.embed(["red car"], "query").tolist() == [[1.0]]
    assert head.identity != model.identity


def test_a_static_table_may_have_weights_and_a_mapping(static_folder):
    from safetensors.numpy import save_file

    save_file(
        {
            "embeddings": np.array([[0, 1], [1, 0]], dtype=np.float32),
            "mapping": np.array([0, 1, 0]),  # red is row 1, car row 0
            "weights": np.array([1.0, 3.0, 4.0]),
        },
        static_folder / "model.safetensors",
    )
    model = EMBEDDERS.create(f"static(path='{static_folder}')")
    # red car: (3 * (1, 0) + 4 * (0, 1)) / 2 = (1.5, 2), scaled (0.6, 0.8).
    assert model.embed(["red car"], "query") == pytest.approx(np.array([[0.6, 0.8]]))


def test_a_folder_without_a_static_model(static_folder):
    from safetensors.numpy import save_file

    spec = f"static(path='{static_folder}')"
    save_file({"other": np.ones(3)}, static_folder / "model.safetensors")
    with pytest.raises(ModelUnavailable, match="holds other; a static model has a matrix called"):
        EMBEDDERS.create(spec).embed(["red"], "query")
    (static_folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        EMBEDDERS.create(spec).embed(["red"], "query")
    (static_folder / "model.safetensors").unlink()
    with pytest.raises(ModelUnavailable, match="holds no static model"):
        _ = EMBEDDERS.create(spec).identity


@pytest.mark.slow
@pytest.mark.parametrize("hub", ["silent", "refusing"])
def test_a_hub_that_does_not_answer_is_given_up_in_seconds(hub, tmp_path):
    """One accepts connections and never answers, the other has no one listening."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        if hub == "refusing":
            server.close()
        environment = {"HF_ENDPOINT": f"http://127.0.0.1:{port}", "HOME": str(tmp_path)}
        code = (
            "import time, sentence_transformers\n"
            "from ragbench.ingest.embed import EMBEDDERS\n"
            "from ragbench.errors import ModelUnavailable\n"
            "started = time.monotonic()\n"
            "try: EMBEDDERS.create('st(model=nobody/nothing)').embed(['a'], 'query')\n"
            "except ModelUnavailable as error: print(error)\n"
            "print(time.monotonic() - started)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True, text=True, check=True, timeout=120,
            env={"PATH": "/usr/bin", **environment},
        )  # fmt: skip
    message, seconds = done.stdout.strip().splitlines()
    assert "the hub lacks it or cannot be reached" in message
    assert float(seconds) < 15


def test_the_hub_check_is_bounded_as_a_whole(monkeypatch):
    """A name that does not resolve may hang for longer than the connection's timeout."""
    from ragbench.ingest.embed import _hub

    release = threading.Event()
    monkeypatch.setattr(_hub, "_answers", lambda address: release.wait(30))
    monkeypatch.setattr(_hub, "_LIMIT_S", 0.1)
    started = time.monotonic()
    assert not _hub.hub_answers()
    assert time.monotonic() - started < 5
    release.set()


def test_a_hub_that_refuses_is_there():
    from http.server import BaseHTTPRequestHandler, HTTPServer

    from ragbench.ingest.embed._hub import _answers

    class Refuses(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.send_error(403)

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Refuses) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        assert _answers(f"http://127.0.0.1:{server.server_port}")
        thread.join()
    assert not _answers("no address")


def test_the_config_of_an_exported_model_is_kept(exported):
    """The fixtures are what the tests take them for."""
    pooling = json.loads((exported["cls"] / "1_Pooling" / "config.json").read_text())
    assert "cls" in json.dumps(pooling)
