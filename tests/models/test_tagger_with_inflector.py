"""A tagger that asks an inflector: beside what holds of all networks that weigh pairs anew, and trained."""

import json
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model, load_archive

from allennlp_svae.models.tagger_with_inflector import TaggerWithInflector
from allennlp_svae.models.tagger_with_lemmatizer import TaggerWithLemmatizer
from tests.configs import evaluated
from tests.inflection_toy import tensors_of, transducer_params
from tests.models.crf_toy import sentence
from tests.models.weighed_toy import ANNOTATED, INSTANCE, READER, WEIGHT, with_inflector


def test_the_inflector_can_change_what_is_best() -> None:
    model = with_inflector(inflector_weight=WEIGHT, num_pairs=100)
    (before,), (after,) = model.tagger.analyses([INSTANCE], 1), model.analyses([INSTANCE], 1)
    assert [best.token for (best,) in before] != [best.token for (best,) in after]


def test_without_weight_the_inflector_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    model = with_inflector(inflector_weight=0.0, num_pairs=100)

    def refuse(asked: List[Any]) -> List[float]:
        assert not asked
        return []

    monkeypatch.setattr(model.inflector, "log_prob", refuse)
    (expected,), (found,) = (each.analyses([INSTANCE], 5) for each in (model.tagger, model))
    for one, other in zip(expected, found, strict=True):
        assert [each.token for each in one] == [each.token for each in other]
        assert [each.log_prob for each in one] == pytest.approx(
            [each.log_prob for each in other], abs=1e-4
        )


def composed_twice() -> TaggerWithInflector:
    model = with_inflector()
    params = Params(transducer_params())
    lemmatizer = Model.from_params(vocab=model.vocab, params=params)
    tagger = TaggerWithLemmatizer(model.vocab, model.tagger, lemmatizer)
    return TaggerWithInflector(model.vocab, tagger, model.inflector)


def test_what_is_remembered_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model = composed_twice().eval()
    instances = [READER.text_to_instance(sentence(each)) for each in ("Evler// gel//", "gel//")]
    asked: List[int] = []

    def counting(answer: Callable[..., Any]) -> Callable[..., Any]:
        def count(questions: List[Any], *further: Any) -> Any:
            asked.append(len(questions))
            return answer(questions, *further)

        return count

    monkeypatch.setattr(model.inflector, "log_prob", counting(model.inflector.log_prob))
    lemmatizer = model.tagger.lemmatizer
    monkeypatch.setattr(lemmatizer, "inflect", counting(lemmatizer.inflect))
    expected = model.annotate_with_confidences(instances)
    once = sum(asked)
    assert model.annotate_with_confidences(instances) == expected
    assert sum(asked) == 2 * once > 0
    model.remember(1000)
    assert model.annotate_with_confidences(instances) == expected
    assert sum(asked) == 3 * once
    assert model.annotate_with_confidences(instances) == expected
    assert sum(asked) == 3 * once


def test_components_of_components_are_called_by_both_names() -> None:
    model = composed_twice()
    components = model.components()
    assert list(components) == ["tagger.tagger", "tagger.lemmatizer", "inflector"]
    assert components["tagger.lemmatizer"] is model.tagger.lemmatizer
    instances = [READER.text_to_instance(sentence(each)) for each in ANNOTATED]
    assert model.component_instances("tagger.tagger", instances) == instances
    found = {
        name: [
            (each["metadata"].metadata["lemma"], each["metadata"].metadata["form"])
            for each in model.component_instances(name, instances)
        ]
        for name in ("tagger.lemmatizer", "inflector")
    }
    assert found["tagger.lemmatizer"][0] == ("evler", "ev")
    assert found["inflector"][0] == ("ev", "Evler")


def test_in_training_the_losses_add_up() -> None:
    model = composed_twice()
    # Without dropout.
    for each in (model, model.tagger):
        each.training = True
    instances = [READER.text_to_instance(sentence(each), weight=2.0) for each in ANNOTATED]
    losses = [
        float(component(**tensors_of(model, model.component_instances(name, instances)))["loss"])
        for name, component in model.components().items()
    ]
    assert float(model(**tensors_of(model, instances))["loss"]) == pytest.approx(
        sum(losses), abs=1e-4
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inflector_weight": -0.1}, "must not be negative"),
        ({"num_pairs": 0}, "needs one at least"),
    ],
)
def test_other_numbers_are_refused(options: Dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        with_inflector(**options)


def test_other_components_are_refused() -> None:
    model = with_inflector()
    with pytest.raises(ConfigurationError, match="`inflector` must be an inflector"):
        TaggerWithInflector(model.vocab, model.tagger, model.tagger)


# Trained for real

SMALL = """
  local small = { embedding_dim:: 4, hidden_size:: 4, updates_per_epoch:: 5, trainer+: { num_epochs: 2 } };
  {
    parts+:: {
      tagger_lemmatizer+: {
        components+:: {
          'tagger.tagger.tagger'+: { trainer+: { num_epochs: 2 } },
          'tagger.tagger.lemmatizer'+: small,
          inflector+: small,
        },
      },
    },
  }
"""


def test_a_run_trains_all_three_and_annotates(
    treebank: Path, tmp_path: Path, allennlp: Callable[..., None]
) -> None:
    path = Path("training_config/tagger_with_inflector.jsonnet").resolve()
    config = evaluated(path, SMALL, treebank=str(treebank), labeled_tokens=120, tagset="ud")
    run = tmp_path / "run"
    made = train_model(Params(config), str(run))
    measured = {
        name: json.loads((run / "components" / name / "metrics.json").read_text())
        for name in ("tagger.tagger.tagger", "tagger.tagger.lemmatizer", "inflector")
    }
    assert "joint_accuracy" in measured["tagger.tagger.tagger"]
    assert "inflection_accuracy" in measured["tagger.tagger.lemmatizer"]
    assert "inflection_accuracy" in measured["inflector"]
    metrics = json.loads((run / "metrics.json").read_text())
    assert 0.0 < metrics["best_validation_tag_accuracy"] <= 1.0
    archive = load_archive(str(run))
    asked = list(archive.dataset_reader.read(f"{treebank}/dev"))
    assert archive.model.annotate(asked) == made.annotate(asked)  # type: ignore[operator]
    text = tmp_path / "strange.txt"
    text.write_text(f"Ж ☃ {'a' * 60} Ünü\nI\n", encoding="utf-8")
    output = tmp_path / "annotated.conllu"
    options = ["--predictor", "analyze", "--use-dataset-reader", "--silent"]
    arguments = ["--predictor-args", json.dumps({"confidence": True, "k_best": 2})]
    allennlp("predict", run / "model.tar.gz", text, *options, *arguments, "--output-file", output)
    rows = [line.split("\t") for line in output.read_text(encoding="utf-8").splitlines()]
    words = [row for row in rows if len(row) == 10]
    assert {row[1] for row in words} == {"Ж", "☃", "a" * 60, "Ünü", "I"}
    assert all(0.0 <= float(row[9].split("Conf=")[1]) <= 1.0 for row in words)
