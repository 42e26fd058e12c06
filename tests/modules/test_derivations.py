"""Of the transducer's derivations; what they write is tested with the model."""

from typing import List

import pytest
import torch

from allennlp_svae.data.edit_actions import derivations as derivations_of
from allennlp_svae.models.edit_transducer import EditTransducer
from allennlp_svae.modules.derivations import Derivations
from tests.inflection_toy import INFLECTIONS, instances_of, tensors_of, toy_transducer

LEMMAS = ["", "k", "kontu", "sali", "Kota", "ikkuna" * 3]


@pytest.fixture(params=[1, 2], ids=["one network", "two networks"])
def model(request: pytest.FixtureRequest) -> EditTransducer:
    return toy_transducer(INFLECTIONS, networks=request.param)


def made_by(model: EditTransducer, lemmas: List[str]) -> Derivations:
    instances = instances_of([(lemma, None, "N;ACC;SG") for lemma in lemmas])
    tensors = tensors_of(model, instances)
    return Derivations.of(model._moves, model.networks, tensors["lemma"], tensors["tag"])


@torch.no_grad()
def test_the_greedy_path_is_a_beam_of_one(model: EditTransducer) -> None:
    derivations = made_by(model, LEMMAS)
    expected, scores = derivations.beam(1)
    path, path_scores = derivations.one_path(lambda log_probs: log_probs.argmax(-1))
    torch.testing.assert_close(path, expected[:, 0, : path.size(1)])
    torch.testing.assert_close(path_scores, scores[:, 0])


@torch.no_grad()
@pytest.mark.parametrize(("lemma", "form"), [("k", "kk"), ("sali", "salin"), ("", "a")])
def test_step_by_step_a_derivation_is_as_probable_as_at_once(
    model: EditTransducer, lemma: str, form: str
) -> None:
    paths = list(derivations_of(lemma, form))
    steps = model._moves.steps(paths)
    derivations = made_by(model, [lemma] * len(paths))
    at_once = derivations.step_log_probs(steps).sum(dim=1)
    # Each goes its own way until its end.
    coming = [[target for target in row if target != model._moves.start] for row in steps.targets]
    number = 0

    def along_the_paths(log_probs: torch.Tensor) -> torch.Tensor:
        nonlocal number
        chosen = [path[number] for path in coming if number < len(path)]
        number += 1
        return torch.stack(chosen)

    path, scores = derivations.one_path(along_the_paths)
    assert torch.isfinite(at_once).all()
    torch.testing.assert_close(scores, at_once, rtol=1e-4, atol=1e-4)
    written = [model._moves.written(row, lemma) for row in path.tolist()]
    assert written == [form] * len(paths)


@torch.no_grad()
def test_rows_are_what_they_would_be_in_another_batch(model: EditTransducer) -> None:
    derivations = made_by(model, LEMMAS)
    some = derivations.rows(torch.tensor([3, 0, 3]))
    alone = made_by(model, ["sali", "", "sali"])
    for found, expected in zip(some.beam(3), alone.beam(3), strict=True):
        torch.testing.assert_close(found[..., : expected.size(-1)], expected, rtol=1e-4, atol=1e-4)
