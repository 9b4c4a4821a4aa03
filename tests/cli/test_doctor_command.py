"""``ragbench doctor`` as a person types it: real LiteLLM, and a server on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from model_server import ModelServer, error, html, no_choices, null_content, obedient, says

from ragbench.cli import main

KEY = "planted-secret-1234567890"


@pytest.fixture
def doctor(monkeypatch, capsys):
    """Runs the command: exit code, standard output, standard error; none may hold the key."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("OPENAI"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def run(server, *args, roles=("agent",), **environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        url = getattr(server, "url", server)
        options = []
        for role in roles:
            options += [f"--{role}-llm", "openai/m", f"--{role}-base-url", url]
        with pytest.raises(SystemExit) as left:
            main(["doctor", *options, *args])
        out, err = capsys.readouterr()
        assert KEY not in out + err
        for name in environment:
            monkeypatch.delenv(name)
        return left.value.code, out, err

    return run


def test_a_process_that_checks_and_leaves():
    code = "from ragbench.cli import main; main()"
    with ModelServer(obedient) as server:
        done = subprocess.run(
            [sys.executable, "-X", "dev", "-c", code, "doctor", "--agent-llm", "openai/m"],
            env={**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("agent  openai/m  ok\n  It answers and calls tools (")
    assert [line for line in done.stderr.splitlines() if "Resource" in line or KEY in line] == []


def test_each_model_is_asked_once_and_told_of(doctor):
    with ModelServer(obedient) as server:
        code, out, err = doctor(server, roles=("agent", "user", "judge"))
        assert (code, err) == (0, "")
        lines = out.splitlines()
        assert lines[0::2] == [f"{role}  openai/m  ok" for role in ("agent", "user", "judge")]
        assert lines[1].startswith("  It answers and calls tools (")
        assert lines[1].endswith(" s, 100 + 7 tokens, cost unknown).")
        agent, user, judge = (request.body for request in server.requests)
    assert [tool["function"]["name"] for tool in agent["tools"]] == ["ping"]
    assert [body["temperature"] for body in (agent, user, judge)] == [0, 1, 0]
    assert "tools" not in {**user, **judge}


def test_as_json_and_in_the_schema_mode(doctor):
    with ModelServer([says('{"name": "ping", "word": "pong"}'), says("Sure!")]) as server:
        code, out, _ = doctor(server, "--tool-mode", "schema", "--format", "json")
        found = json.loads(out)["agent"]
        assert (code, found["ok"], found["model"], found["advice"]) == (0, True, "openai/m", None)
        assert "in the asked JSON" in found["found"]
        code, out, _ = doctor(server, "--tool-mode", "schema")
        assert code == 1
        assert "not with the JSON that was asked for. It said 'Sure!'" in out
        assert "--tool-mode react" in out


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (error(401, f"Incorrect API key: {KEY}"), ["401 Incorrect API key: ***", "Check the key"]),
        (error(404, "no model m"), ["404 no model m", "Check the model's name"]),
        (no_choices(), ["holds no completion", "does not speak OpenAI's protocol", "/v1"]),
        (html(), ["Welcome to nginx", "does not speak OpenAI's protocol"]),
        (error(500, "oops"), ["500 oops"]),
        (error(429, "slow"), ["429 slow", "--llm-rpm"]),
        (
            error(400, "this model does not support tools"),
            ["does not support tools", "--tool-mode schema, or --tool-mode react"],
        ),
        (
            says("I would call the tool."),
            ["did not call the tool", "It said 'I would call the tool.'", "--tool-mode schema"],
        ),
        (null_content(), ["It said nothing", "--tool-mode schema"]),
    ],
)
def test_what_is_wrong_is_explained(doctor, answer, words):
    with ModelServer([answer]) as server:
        code, out, _ = doctor(server)
        assert len(server.requests) == 1
    assert code == 1
    assert out.startswith("agent  openai/m  FAILED\n")
    assert [word for word in words if word not in out] == []
    assert len(out.splitlines()) <= 3


def test_one_failing_model_is_enough(doctor):
    with ModelServer(obedient) as server:
        code, out, _ = doctor(
            server, "--user-llm", "openai/m", "--user-base-url", "http://127.0.0.1:9/v1"
        )
    assert code == 1
    assert "agent  openai/m  ok" in out
    assert "user  openai/m  FAILED" in out
    assert "Connect call failed" in out
    assert "Check the address, and that the server runs." in out


def test_a_proxy_in_the_way_is_named(doctor):
    with ModelServer(obedient) as server, ModelServer([error(403, "blocked")] * 2) as proxy:
        through = proxy.url.removesuffix("/v1")
        code, out, _ = doctor(server, http_proxy=through)
        assert code == 1
        assert f"through the proxy {through} that http_proxy names" in out
        assert "Set NO_PROXY=127.0.0.1, or unset http_proxy." in out
        code, out, _ = doctor(server, ALL_PROXY="http://me:planted@127.0.0.1:9")
        assert code == 1
        assert "the proxy http://***@127.0.0.1:9 that ALL_PROXY names" in out
        assert "planted" not in out
        code, _, _ = doctor(server, http_proxy=through, NO_PROXY="127.0.0.1")
        assert code == 0
        assert (len(server.requests), len(proxy.requests)) == (1, 1)


def test_a_missing_key_is_named(doctor):
    code, out, _ = doctor("http://127.0.0.1:9/v1", "--agent-api-key-env", "MY_GATEWAY")
    assert code == 1
    assert "The environment variable 'MY_GATEWAY', which holds the key of 'openai/m'" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "No model is named. Give at least one of --agent-llm, --user-llm, --judge-llm."),
        (["--user-base-url", "http://h/v1"], "--user-base-url is given without --user-llm."),
        (["--agent-llm", "m", "--agent-llm-args", '{"api_key": "planted"}'], "hold a key"),
        (["--agent-llm", "m", "--agent-base-url", "http://me:planted@h"], "holds a user"),
        (["--agent-llm", "m", "--agent-api-key-env", "sk-planted12345"], "not the key itself"),
    ],
)
def test_wrong_usage(doctor, args, message):
    code, out, err = doctor("", *args, roles=())
    assert (code, out) == (2, "")
    assert message in err
    assert "planted" not in err
