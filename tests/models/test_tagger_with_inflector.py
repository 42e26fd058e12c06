"""A tagger that asks an inflector: against the formula, written out over all pairs, and trained."""

import json
import math
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import Any, Callable, Dict, List

import _jsonnet
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model, load_archive

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.dataset_readers.tagged_sentences import TaggedSentencesReader
from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from allennlp_svae.models.tagger_with_inflector import TaggerWithInflector
from allennlp_svae.models.tagger_with_lemmatizer import TaggerWithLemmatizer
from tests.inflection_toy import assert_drawn_from, tensors_of, transducer_params
from tests.models.test_crf_tagger_lemmatizer import pairs_of, sentence

WEIGHT = 0.7
ANNOTATED = [
    "Evler/ev/NOUN;Number=Plur ev/ev/NOUN;Number=Sing",
    "gelir/gel/VERB ve/ve/CCONJ Ege/Ege/PROPN",
]
WORDS = sentence("Evler// gel//")
READER = TaggedSentencesReader(tagset="ud", transducers=["lemmatizer", "inflector"])
INSTANCE = READER.text_to_instance(WORDS)


def network(**options: Any) -> TaggerWithInflector:
    torch.manual_seed(3)
    vocab = Vocabulary.from_instances(
        [READER.text_to_instance(sentence(each)) for each in ANNOTATED]
    )
    tagger = CrfTaggerLemmatizer(vocab, max_candidates=2)
    for parameter in tagger.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    inflector = Model.from_params(vocab=vocab, params=Params(transducer_params()))
    return TaggerWithInflector(vocab, tagger, inflector, **options).eval()  # type: ignore[no-any-return]


@pytest.fixture(params=[1, 3, 6, 100])
def model(request: pytest.FixtureRequest) -> TaggerWithInflector:
    return network(inflector_weight=WEIGHT, num_pairs=request.param)


def distributions(model: TaggerWithInflector) -> List[Dict[Token, float]]:
    """q of each pair of each word of `WORDS`, by the formula."""
    (found,) = model.tagger.analyses([INSTANCE], model._num_pairs)
    reader = InflectionsReader()
    expected = []
    for pairs in found:
        before = {each.token: math.exp(each.log_prob) for each in pairs}
        greatest = max(before.values())
        in_doubt = [
            token for token, prob in before.items() if prob > greatest * math.exp(-8 * WEIGHT)
        ]
        asked = [reader.text_to_instance(each.lemma, each.tag, each.form) for each in in_doubt]
        after = dict(before)
        for token, log_prob in zip(in_doubt, model.inflector.log_prob(asked), strict=True):
            after[token] *= (math.exp(log_prob) + math.exp(-8)) ** WEIGHT
        scale = sum(before[each] for each in in_doubt) / sum(after[each] for each in in_doubt)
        for token in in_doubt:
            after[token] *= scale
        total = sum(after.values())
        expected.append({token: prob / total for token, prob in after.items()})
    return expected


def test_the_best_annotation_comes_with_its_confidences(model: TaggerWithInflector) -> None:
    model.calibration.load_state_dict(
        {name: value + 0.3 for name, value in model.calibration.state_dict().items()}
    )
    ((annotation, confidences),) = model.annotate_with_confidences([INSTANCE])
    assert [annotation] == model.annotate([INSTANCE])
    (expected,) = model.confidences([INSTANCE], [annotation])
    assert confidences == pytest.approx(expected)
    # Without the calibration they would be others, unless a word has a single pair.
    (posteriors,) = model.posteriors([INSTANCE], [annotation])
    assert (confidences == pytest.approx(posteriors)) == (model._num_pairs == 1)


def test_pairs_have_the_probabilities_of_the_formula(model: TaggerWithInflector) -> None:
    (found,) = model.analyses([INSTANCE], 100)
    for pairs, expected in zip(found, distributions(model), strict=True):
        assert math.fsum(math.exp(each.log_prob) for each in pairs) == pytest.approx(1.0)
        probs = {each.token: math.exp(each.log_prob) for each in pairs}
        assert probs == pytest.approx(expected, abs=1e-5)
        assert sorted(probs.values(), reverse=True) == list(probs.values())
    (annotated,) = model.annotate([INSTANCE])
    assert annotated.tokens == tuple(pairs[0].token for pairs in found)
    (three,) = model.analyses([INSTANCE], 3)
    assert three == [pairs[:3] for pairs in found]


def test_the_inflector_can_change_what_is_best() -> None:
    model = network(inflector_weight=WEIGHT, num_pairs=100)
    (before,), (after,) = model.tagger.analyses([INSTANCE], 1), model.analyses([INSTANCE], 1)
    assert [best.token for (best,) in before] != [best.token for (best,) in after]


def test_without_weight_the_inflector_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    model = network(inflector_weight=0.0, num_pairs=100)

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


def test_words_are_independent(model: TaggerWithInflector) -> None:
    first, last = distributions(model)
    annotations = [Sentence(pair) for pair in product(first, last)]
    expected = [math.log(first[one]) + math.log(last[other]) for one, other in product(first, last)]
    asked = [READER.text_to_instance(each) for each in annotations]
    assert model.log_prob(asked) == pytest.approx(expected, abs=1e-4)
    for annotation, probs in zip(annotations, model.posteriors(asked, annotations), strict=True):
        one, other = annotation.tokens
        assert probs == pytest.approx([first[one], last[other]], abs=1e-5)
    (found,) = model.k_best([INSTANCE], 4)
    assert [log_prob for _, log_prob in found] == pytest.approx(
        sorted(expected, reverse=True)[:4], abs=1e-4
    )
    by_annotation = dict(zip(annotations, expected, strict=True))
    for annotation, log_prob in found:
        assert by_annotation[annotation] == pytest.approx(log_prob, abs=1e-4)


def test_samples_are_drawn_from_it() -> None:
    model = network(inflector_weight=WEIGHT, num_pairs=4)
    torch.manual_seed(0)
    counts = Counter(
        str(pairs_of(each)) for each in model.annotate([INSTANCE] * 4000, how="sample")
    )
    probabilities = {
        str(pairs_of(Sentence((one, other)))): first * last
        for (one, first), (other, last) in product(*(each.items() for each in distributions(model)))
    }
    assert_drawn_from(counts, probabilities)


def test_missing_lemmas_are_summed_out(model: TaggerWithInflector) -> None:
    sums: List[Dict[Token, float]] = []
    for of_word in distributions(model):
        of_tags: Dict[Token, float] = defaultdict(float)
        for token, prob in of_word.items():
            of_tags[token._replace(lemma=None)] += prob
        sums.append(of_tags)
    (found,) = model._in_batches([INSTANCE], lambda scores: model._best_tags(scores, 2))
    for best, of_tags in zip(found, sums, strict=True):
        expected = sorted(of_tags.values(), reverse=True)[:2]
        assert [math.exp(each.log_prob) for each in best] == pytest.approx(expected, abs=1e-5)
    first, last = sums
    bare = Sentence((next(iter(first)), next(iter(last))))
    (posteriors,) = model.posteriors([INSTANCE], [bare])
    assert posteriors == pytest.approx([first[bare.tokens[0]], last[bare.tokens[1]]], abs=1e-5)


def test_what_a_word_cannot_be_has_no_probability(model: TaggerWithInflector) -> None:
    first, last = (next(iter(each)) for each in distributions(model))
    other = Sentence((first, last._replace(lemma="no such lemma")))
    assert model.log_prob([READER.text_to_instance(other)]) == [-math.inf]
    (posteriors,) = model.posteriors([INSTANCE], [other])
    assert posteriors[1] == 0.0 < posteriors[0]
    with pytest.raises(DataError, match="has no tag"):
        model.log_prob([INSTANCE])


def test_results_do_not_depend_on_the_company() -> None:
    model = network()
    texts = ["Evler// gelir//", "geldi//", "ev// Ege'de// ev// gelir// .//", "ev// Ege//", "Ege//"]
    instances = [READER.text_to_instance(sentence(text)) for text in texts]
    together = model.annotate(instances)
    assert [model.annotate([instance])[0] for instance in instances] == together
    posteriors = model.posteriors(instances, together)
    for instance, annotation, probs in zip(instances, together, posteriors, strict=True):
        assert model.posteriors([instance], [annotation])[0] == pytest.approx(probs, abs=1e-5)


def composed_twice() -> TaggerWithInflector:
    model = network()
    params = Params(transducer_params())
    lemmatizer = Model.from_params(vocab=model.vocab, params=params)
    tagger = TaggerWithLemmatizer(model.vocab, model.tagger, lemmatizer)
    return TaggerWithInflector(model.vocab, tagger, model.inflector)


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
        network(**options)


def test_other_components_are_refused() -> None:
    model = network()
    with pytest.raises(ConfigurationError, match="`inflector` must be an inflector"):
        TaggerWithInflector(model.vocab, model.tagger, model.tagger)


# Trained for real

SMALL = """
  local small = { embedding_dim:: 4, hidden_size:: 4, updates_per_epoch:: 5, trainer+: { num_epochs: 2 } };
  {
    parts+:: {
      tagger_lemmatizer+: {
        components+:: {
          'tagger.tagger'+: { trainer+: { num_epochs: 2 } },
          'tagger.lemmatizer'+: small,
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
    fields = f"treebank:: {json.dumps(str(treebank))}, labeled_tokens:: 120, tagset:: 'ud'"
    snippet = f"(import {json.dumps(str(path))}) + {{ {fields} }} + {SMALL}"
    run = tmp_path / "run"
    made = train_model(Params(json.loads(_jsonnet.evaluate_snippet("user's", snippet))), str(run))
    measured = {
        name: json.loads((run / "components" / name / "metrics.json").read_text())
        for name in ("tagger.tagger", "tagger.lemmatizer", "inflector")
    }
    assert "joint_accuracy" in measured["tagger.tagger"]
    assert "inflection_accuracy" in measured["tagger.lemmatizer"]
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
