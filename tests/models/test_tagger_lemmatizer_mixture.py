"""A mixture of both families against the enumeration of what either can answer, and as a trained archive."""

import json
import math
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any, Callable, Dict

import _jsonnet
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model, load_archive

from allennlp_svae.data.conllu_format import read_blocks
from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from allennlp_svae.models.inference_network import InferenceNetwork
from allennlp_svae.models.neural_tagger_lemmatizer import NeuralTaggerLemmatizer
from allennlp_svae.models.tagger_lemmatizer_mixture import TaggerLemmatizerMixture
from tests.inflection_toy import assert_drawn_from
from tests.models.test_crf_tagger_lemmatizer import (
    Pairs,
    annotate_with,
    check_best_pairs,
    pairs_of,
    sentence,
)
from tests.models.test_neural_tagger_lemmatizer import (
    MODEL_PARAMS,
    TRAINING,
    UNSEEN,
    WORDS,
    loss_of,
    reader,
)
from tests.models.test_neural_tagger_lemmatizer import log_probs as neural_log_probs

WEIGHTS = {"crf": 3.0, "neural": 1.0}


@pytest.fixture
def mixture() -> TaggerLemmatizerMixture:
    torch.manual_seed(4)
    vocab = Vocabulary.from_instances(TRAINING)
    crf = CrfTaggerLemmatizer(vocab, max_candidates=4)
    params = Params(json.loads(json.dumps({**MODEL_PARAMS, "max_candidates": 4})))
    neural = Model.from_params(vocab=vocab, params=params)
    for component in (crf, neural):
        for parameter in component.parameters():
            torch.nn.init.normal_(parameter, std=0.5)
    mixture = TaggerLemmatizerMixture(vocab, {"crf": crf, "neural": neural}, WEIGHTS)
    return mixture.eval()  # type: ignore[no-any-return]


def expected_log_probs(mixture: TaggerLemmatizerMixture) -> Dict[Pairs, float]:
    """log Σ_k w_k q_k of every annotation of `WORDS`, from each component's own."""
    crf, neural = mixture.components.values()
    assert isinstance(crf, CrfTaggerLemmatizer)
    assert isinstance(neural, NeuralTaggerLemmatizer)
    # What the neural one can answer, the CRF can but for tags that were never seen.
    of_neural = neural_log_probs(neural)
    asked = [reader.text_to_instance(annotate_with(WORDS, path)) for path in of_neural]
    of_crf = crf.log_prob(asked)
    assert min(of_crf) == -math.inf
    return {
        path: math.log(0.75 * math.exp(one) + 0.25 * math.exp(other))
        for one, (path, other) in zip(of_crf, of_neural.items(), strict=True)
    }


def test_it_is_the_weighted_sum_of_its_components(mixture: TaggerLemmatizerMixture) -> None:
    expected = expected_log_probs(mixture)
    assert math.fsum(map(math.exp, expected.values())) == pytest.approx(1.0, abs=1e-4)
    asked = [reader.text_to_instance(annotate_with(WORDS, path)) for path in expected]
    assert mixture.log_prob(asked) == pytest.approx(list(expected.values()), abs=1e-4)


def test_the_best_pairs_of_each_word_are_those_of_the_enumeration(
    mixture: TaggerLemmatizerMixture,
) -> None:
    expected = expected_log_probs(mixture)
    instance = reader.text_to_instance(WORDS)
    (found,) = mixture.analyses([instance], 10_000)
    for position, analyses in enumerate(found):
        check_best_pairs(position, analyses, expected, 10_000)
        assert any(each.token.tag == UNSEEN for each in analyses)
    (best,) = mixture.annotate([instance])
    assert best.tokens == tuple(analyses[0].token for analyses in found)
    (posteriors,) = mixture.posteriors([instance], [best])
    assert posteriors == pytest.approx(
        [math.exp(analyses[0].log_prob) for analyses in found], abs=1e-5
    )


def test_k_best_ranks_what_its_components_found(mixture: TaggerLemmatizerMixture) -> None:
    expected = expected_log_probs(mixture)
    instance = reader.text_to_instance(WORDS)
    (found,) = mixture.k_best([instance], 10_000)
    ranked = sorted(expected, key=expected.__getitem__, reverse=True)
    assert len(found) == len(ranked)
    assert [log_prob for _, log_prob in found] == pytest.approx(
        [expected[path] for path in ranked], abs=1e-4
    )
    (few,) = mixture.k_best([instance], 5)
    values = [log_prob for _, log_prob in few]
    assert values == sorted(values, reverse=True)
    assert len({pairs_of(each) for each, _ in few}) == 5
    candidates = [
        pairs_of(annotation)
        for component in mixture.components.values()
        for annotation, _ in component.k_best([instance], 5)[0]
    ]
    best = sorted({expected[path] for path in candidates}, reverse=True)[:5]
    assert values == pytest.approx(best, abs=1e-4)


def test_samples_are_drawn_from_the_mixture(mixture: TaggerLemmatizerMixture) -> None:
    torch.manual_seed(0)
    samples = mixture.annotate([reader.text_to_instance(WORDS)] * 5000, how="sample")
    counts = Counter(str(pairs_of(each)) for each in samples)
    probabilities = {
        str(path): math.exp(value) for path, value in expected_log_probs(mixture).items()
    }
    assert_drawn_from(counts, probabilities)


def test_results_do_not_depend_on_the_company(mixture: TaggerLemmatizerMixture) -> None:
    texts = ["Evler// geldi//", "gördü//", "kitap// evi// kitap// gelir// .//"]
    instances = [reader.text_to_instance(sentence(text)) for text in texts]
    together = mixture.annotate(instances)
    assert [mixture.annotate([instance])[0] for instance in instances] == together
    for instance, found in zip(instances, mixture.k_best(instances, 3), strict=True):
        (alone,) = mixture.k_best([instance], 3)
        assert [each for each, _ in alone] == [each for each, _ in found]


def test_in_training_the_losses_add_up(mixture: TaggerLemmatizerMixture) -> None:
    # Without dropout.
    mixture.training = True
    # Indexed by this vocabulary, they are not to be found so by another's test.
    asked = deepcopy(TRAINING[:2])
    losses = [loss_of(component, *asked) for component in mixture.components.values()]  # type: ignore[arg-type]
    assert loss_of(mixture, *asked) == pytest.approx(sum(losses), abs=1e-4)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "weights", [{"crf": 1.0}, {"crf": 1.0, "neural": 0.0}, {"crf": 1.0, "nerual": 1.0}]
)
def test_weights_that_do_not_fit_are_refused(
    mixture: TaggerLemmatizerMixture, weights: Dict[str, float]
) -> None:
    components = dict(mixture.components.items())
    with pytest.raises(ConfigurationError, match="positive, one for each"):
        TaggerLemmatizerMixture(mixture.vocab, components, weights)  # type: ignore[arg-type]


def test_components_are_tagger_lemmatizers(mixture: TaggerLemmatizerMixture) -> None:
    for components in ({}, {"linear": torch.nn.Linear(1, 1)}):
        with pytest.raises(ConfigurationError, match="must be tagger-lemmatizers"):
            TaggerLemmatizerMixture(mixture.vocab, components)  # type: ignore[arg-type]


# Trained for real

SMALL = """{
  parts+:: {
    tagger_lemmatizer+: {
      // A trainer of components has none itself.
      trainer+: { num_epochs:: null },
      components+:: {
        crf+: { trainer+: { num_epochs: 2 } },
        neural+: { hidden_size:: 4, trainer+: { num_epochs: 2 }, data_loader+: { batches_per_epoch: 4 } },
      },
    },
  },
}"""


def config_of(path: Path, **fields: Any) -> Params:
    settings = ", ".join(f"{name}:: {json.dumps(value)}" for name, value in fields.items())
    snippet = f"(import {json.dumps(str(path))}) + {{ tagger:: 'mixture', {settings} }} + {SMALL}"
    ext_vars = {"TREEBANK": str(fields["treebank"])}
    return Params(json.loads(_jsonnet.evaluate_snippet("user's", snippet, ext_vars=ext_vars)))


def small_config(treebank: Path) -> Params:
    path = Path("training_config/tagger_lemmatizer_mixture.jsonnet").resolve()
    return config_of(path, treebank=str(treebank), labeled_tokens=120, tagset="ud")


def assert_same_weights(one: Path, other: Path) -> None:
    first, second = (load_archive(str(run)).model.state_dict() for run in (one, other))
    assert first.keys() == second.keys()
    assert [name for name in first if not torch.equal(first[name], second[name])] == []


def test_a_run_trains_each_component_and_is_recovered(
    treebank: Path, tmp_path: Path, allennlp: Callable[..., None]
) -> None:
    run = tmp_path / "run"
    made = train_model(small_config(treebank), str(run))
    assert isinstance(made, InferenceNetwork)
    metrics = json.loads((run / "metrics.json").read_text())
    for name in WEIGHTS:
        own = json.loads((run / "components" / name / "metrics.json").read_text())
        assert 0.0 <= own["joint_accuracy"] <= 1.0
    assert 0.0 < metrics["best_validation_tag_accuracy"] <= 1.0
    archive = load_archive(str(run))
    asked = list(archive.dataset_reader.read(f"{treebank}/dev"))
    assert archive.model.k_best(asked, 3) == made.k_best(asked, 3)
    # Stopped after its first component and taken up again, it comes to the same.
    other = tmp_path / "other"
    train_model(small_config(treebank), str(other))
    assert_same_weights(run, other)
    (other / "components" / "neural" / "weights.th").unlink()
    (other / "best.th").unlink()
    (other / "model.tar.gz").unlink()
    train_model(small_config(treebank), str(other), recover=True)
    assert_same_weights(run, other)
    # The command line, with confidences.
    (source,) = treebank.glob("*-dev.conllu")
    output = tmp_path / "annotated.conllu"
    options = ["--predictor", "analyze", "--use-dataset-reader", "--silent"]
    arguments = ["--predictor-args", json.dumps({"confidence": True})]
    allennlp("predict", run / "model.tar.gz", source, *options, *arguments, "--output-file", output)
    confidences = [
        float(row["misc"].split("Conf=")[1])
        for block in read_blocks(str(output))
        for row in block
        if isinstance(row["id"], int)
    ]
    assert confidences
    assert all(0.0 <= each <= 1.0 for each in confidences)


def test_other_components_are_refused(treebank: Path, tmp_path: Path) -> None:
    config = small_config(treebank).as_dict()
    del config["trainer"]["components"]["crf"]
    with pytest.raises(ConfigurationError, match=r"\['neural'\], the model \['crf', 'neural'\]"):
        train_model(Params(deepcopy(config)), str(tmp_path / "run"))


def test_the_trainer_is_for_mixtures(treebank: Path, tmp_path: Path) -> None:
    config = small_config(treebank).as_dict()
    config["model"] = config["model"]["components"]["crf"]
    with pytest.raises(ConfigurationError, match="for a model that is made of components"):
        train_model(Params(config), str(tmp_path / "run"))


def test_wake_sleep_dreams_and_annotates_with_it(
    treebank: Path, svae_config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEBANK", str(treebank))
    run = tmp_path / "run"
    train_model(config_of(svae_config, treebank=str(treebank)), str(run))
    second = run / "wake_sleep" / "iteration_2"
    assert list(read_sentences(str(second / "dreams.conllu")))
    annotated = list(read_sentences(str(second / "annotated.conllu")))
    assert all(token.lemma and token.tag for each in annotated for token in each.tokens)
    assert {path.name for path in second.rglob("*.th")} == {"weights.th"}
    archive = load_archive(str(run))
    raw = annotated[0].without_annotation()
    asked = archive.dataset_reader.readers["tagger_lemmatizer"].text_to_instance(raw)
    (again,) = archive.model.tagger_lemmatizer.annotate([asked])
    assert again == annotated[0]
