"""The bound of ``not_asked``, on the trajectories that it was calibrated on."""

from __future__ import annotations

import importlib.util
import json

import pytest

from ragbench.diagnose import NEAR


@pytest.fixture(scope="module")
def calibration(repository):
    path = repository / "bench" / "calibrate_not_asked.py"
    spec = importlib.util.spec_from_file_location("calibrate_not_asked", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_both_kinds_are_labelled_over_both_domains(calibration):
    lines = [json.loads(line) for line in calibration.LABELLED.read_text().splitlines()]
    kinds = {(line["domain"], line["asked"]) for line in lines}
    assert kinds == {(d, a) for d in ("mock", "banking_knowledge") for a in (True, False)}
    assert len(lines) >= 80
    assert len({line["need"] for line in lines}) >= 30


@pytest.mark.slow
def test_the_bound_separates_what_was_asked_from_what_was_not(calibration):
    found = calibration.cases()
    asked_far, other_near = calibration.errors(NEAR, found)
    assert asked_far + other_near <= 2
    bound, low, high = calibration.best(found)
    assert low < NEAR < high
    # chosen on one half, it holds on the other
    bound = calibration.best(found[::2])[0]
    assert sum(calibration.errors(bound, found[1::2])) <= 2
