"""A tagger whose lemmas a transducer makes too: against the enumeration of all that it can answer, and trained."""

import json
import math
from collections import Counter, defaultdict
from copy import deepcopy
from itertools import combinations, product
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model, load_archive

from allennlp_svae.data.casing import capitalize
from allennlp_svae.data.conllu_format import read_blocks
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.dataset_readers.tagged_sentences import TaggedSentencesReader
from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from allennlp_svae.models.inference_network import InferenceNetwork
from allennlp_svae.models.tagger_with_lemmatizer import TaggerWithLemmatizer
from tests.configs import evaluated
from tests.inflection_toy import assert_drawn_from, tensors_of, transducer_params
from tests.models.crf_toy import Pairs, annotate_with, pairs_of, sentence
from tests.models.weighed_toy import assert_company_does_not_matter

WEIGHT = 0.6
ANNOTATED = [
    "Evler/ev/NOUN;Number=Plur ev/ev/NOUN;Number=Sing",
    "gelir/gel/VERB ve/ve/CCONJ Ege/Ege/PROPN",
]
WORDS = sentence("Eve// gel//")
READER = TaggedSentencesReader(tagset="ud", transducers=["lemmatizer"])


def network(**options: Any) -> TaggerWithLemmatizer:
    """Its lemmatizer copies or deletes, so that what it can write can be counted."""
    torch.manual_seed(3)
    vocab = Vocabulary.from_instances(
        [READER.text_to_instance(sentence(each)) for each in ANNOTATED]
    )
    tagger = CrfTaggerLemmatizer(vocab, max_candidates=2)
    for parameter in tagger.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    params = Params(transducer_params(beam_size=12, max_insertions=0))
    lemmatizer = Model.from_params(vocab=vocab, params=params)
    return TaggerWithLemmatizer(vocab, tagger, lemmatizer, **options).eval()  # type: ignore[no-any-return]


@pytest.fixture
def model() -> TaggerWithLemmatizer:
    return network(lemmatizer_weight=WEIGHT)


def written(source: str) -> Set[str]:
    """All that copying and deleting make of it, in either casing."""
    bases = {
        "".join(chosen)
        for length in range(len(source) + 1)
        for chosen in combinations(source, length)
    }
    return bases | set(map(capitalize, bases))


def log_probs(model: TaggerWithLemmatizer) -> Dict[Pairs, float]:
    """log q of every annotation of `WORDS`, from what the components say."""
    tagger, lemmatizer = model.tagger, model.lemmatizer
    assert isinstance(tagger, CrfTaggerLemmatizer)
    reader = InflectionsReader()
    # What the lemmatizer is told of a capital at the beginning of the sentence.
    told = [("eve", {"Capital=Initial"}), ("gel", set())]
    tags = tagger.inventory.tags
    options: List[List[Tuple[Optional[str], MorphTag]]] = []
    of_lemmas: List[Dict[Tuple[Optional[str], MorphTag], float]] = []
    for token, (source, capital) in zip(WORDS.tokens, told, strict=True):
        lemmas = sorted({*tagger.candidates.of(token.form).lemmas, *written(source)})
        pairs = list(product(lemmas, tags))
        asked = [
            reader.text_to_instance(source, MorphTag(tag.pos, tag.features | capital), lemma)
            for lemma, tag in pairs
        ]
        options.append(pairs)  # type: ignore[arg-type]
        of_lemmas.append(dict(zip(pairs, lemmatizer.log_prob(asked), strict=True)))
    paths = list(product(*options))
    of_tagger = tagger.log_prob(
        [READER.text_to_instance(annotate_with(WORDS, each)) for each in paths]
    )
    of_tags: Dict[Any, float] = defaultdict(float)
    for path, log_prob in zip(paths, of_tagger, strict=True):
        of_tags[tuple(tag for _, tag in path)] += math.exp(log_prob)
    found = {}
    for path, log_prob in zip(paths, of_tagger, strict=True):
        by_lemmatizer = math.exp(
            sum(each[pair] for each, pair in zip(of_lemmas, path, strict=True))
        )
        prob = (1.0 - WEIGHT) * math.exp(log_prob)
        prob += WEIGHT * of_tags[tuple(tag for _, tag in path)] * by_lemmatizer
        found[path] = math.log(prob) if prob else -math.inf
    return found


def test_all_it_can_answer_has_probability_one(model: TaggerWithLemmatizer) -> None:
    expected = log_probs(model)
    assert math.fsum(map(math.exp, expected.values())) == pytest.approx(1.0, abs=1e-4)
    asked = [READER.text_to_instance(annotate_with(WORDS, path)) for path in expected]
    assert model.log_prob(asked) == pytest.approx(list(expected.values()), abs=1e-3)


def of_words(expected: Dict[Pairs, float]) -> Iterator[Dict[Any, float]]:
    for position in range(len(WORDS)):
        sums: Dict[Any, float] = defaultdict(float)
        for path, log_prob in expected.items():
            _, tag = path[position]
            for pair in (path[position], (None, tag)):
                sums[pair] += math.exp(log_prob)
        yield sums


def test_posteriors_are_sums_of_the_enumeration(model: TaggerWithLemmatizer) -> None:
    first, last = of_words(log_probs(model))
    # Missing lemmas are summed out.
    pairs = list(product(list(first)[::7], list(last)[::7]))
    annotations = [annotate_with(WORDS, path) for path in pairs]
    found = model.posteriors([READER.text_to_instance(WORDS)] * len(pairs), annotations)
    for (one, other), posteriors in zip(pairs, found, strict=True):
        assert posteriors == pytest.approx([first[one], last[other]], abs=1e-5)


@pytest.mark.parametrize("k", [1, 5])
def test_the_best_pairs_of_each_word_are_those_of_the_enumeration(
    k: int, model: TaggerWithLemmatizer
) -> None:
    instance = READER.text_to_instance(WORDS)
    (found,) = model.analyses([instance], k)
    for analyses, sums in zip(found, of_words(log_probs(model)), strict=True):
        # No lemma is empty.
        possible = [value for (lemma, _), value in sums.items() if lemma]
        best = sorted(possible, reverse=True)[:k]
        assert [math.exp(each.log_prob) for each in analyses] == pytest.approx(best, abs=1e-5)
    (annotated,) = model.annotate([instance])
    assert annotated.tokens == tuple(analyses[0].token for analyses in found)


def test_what_the_transducer_writes_alone_is_found(model: TaggerWithLemmatizer) -> None:
    tagger = model.tagger
    assert isinstance(tagger, CrfTaggerLemmatizer)
    (found,) = model.analyses([READER.text_to_instance(WORDS)], 12)
    for analyses, form in zip(found, WORDS.forms, strict=True):
        lemmas = {each.token.lemma for each in analyses}
        assert lemmas - set(tagger.candidates.of(form).lemmas)


def test_no_lemma_is_empty(model: TaggerWithLemmatizer) -> None:
    # Wide enough to find all that it can write, with the end that comes at once.
    model.lemmatizer.beam_size = 40
    (found,) = model.analyses([READER.text_to_instance(WORDS)], 1000)
    assert all(each.token.lemma for analyses in found for each in analyses)


def test_samples_are_drawn_from_it(model: TaggerWithLemmatizer) -> None:
    torch.manual_seed(0)
    samples = model.annotate([READER.text_to_instance(WORDS)] * 8000, how="sample")
    counts = Counter(str(pairs_of(each)) for each in samples)
    probabilities = {str(path): math.exp(value) for path, value in log_probs(model).items()}
    assert_drawn_from(counts, probabilities)


def test_k_best_ranks_what_was_proposed(model: TaggerWithLemmatizer) -> None:
    expected = log_probs(model)
    (found,) = model.k_best([READER.text_to_instance(WORDS)], 6)
    assert len({pairs_of(each) for each, _ in found}) == 6
    values = [log_prob for _, log_prob in found]
    assert values == sorted(values, reverse=True)
    assert values == pytest.approx([expected[pairs_of(each)] for each, _ in found], abs=1e-4)
    (best,) = model.annotate([READER.text_to_instance(WORDS)])
    assert values[0] >= expected[pairs_of(best)] - 1e-4


def test_results_do_not_depend_on_the_company(model: TaggerWithLemmatizer) -> None:
    assert_company_does_not_matter(model, READER)


def test_in_training_the_losses_add_up(model: TaggerWithLemmatizer) -> None:
    # Without dropout.
    model.training = True
    first, last = ([READER.text_to_instance(sentence(each), weight=2.0)] for each in ANNOTATED)
    words = model.component_instances("lemmatizer", first + last)
    assert [each["metadata"].metadata["lemma"] for each in words[:3]] == ["evler", "ev", "gelir"]

    def loss_of(part: Any, instances: List[Any]) -> float:
        output = part(**tensors_of(model, deepcopy(instances)))
        return float(output["loss"])

    losses = [
        loss_of(model.tagger, first + last),
        loss_of(model.lemmatizer, words),
    ]
    assert loss_of(model, first + last) == pytest.approx(sum(losses), abs=1e-4)


def test_lemmatizations_weigh_as_their_sentences_and_by_the_root_of_their_count(
    model: TaggerWithLemmatizer,
) -> None:
    texts = [("ev/ev/NOUN ev/ev/NOUN ev/ev/NOUN ev/ev/NOUN gel/gel/VERB", 1.0), ("ev/ev/NOUN", 0.5)]
    instances = [READER.text_to_instance(sentence(text), weight) for text, weight in texts]
    words = model.component_instances("lemmatizer", instances)
    found = [(each["metadata"].metadata["lemma"], float(each["weight"].tensor)) for each in words]
    # The roots of 4, 1 and 1, whose mean is made one.
    assert found == [("ev", 1.5), ("gel", 0.75), ("ev", 0.375)]


def test_other_components_are_refused(model: TaggerWithLemmatizer) -> None:
    with pytest.raises(ConfigurationError, match="`tagger` must be a tagger-lemmatizer"):
        TaggerWithLemmatizer(model.vocab, model.lemmatizer, model.lemmatizer)
    with pytest.raises(ConfigurationError, match="`lemmatizer` must be an inflector"):
        TaggerWithLemmatizer(model.vocab, model.tagger, model.tagger)


@pytest.mark.parametrize("weight", [0.0, 1.0, -0.5])
def test_both_have_a_vote(weight: float) -> None:
    with pytest.raises(ConfigurationError, match="more than 0 and less than 1"):
        network(lemmatizer_weight=weight)


# Trained for real

SMALL = """{
  parts+:: {
    tagger_lemmatizer+: {
      // A trainer of components has none itself.
      trainer+: { num_epochs:: null },
      components+:: {
        tagger+: { trainer+: { num_epochs: 2 } },
        lemmatizer+: { embedding_dim:: 4, hidden_size:: 4, updates_per_epoch:: 5, trainer+: { num_epochs: 2 } },
      },
    },
  },
}"""


def config_of(path: Path, **fields: Any) -> Params:
    return Params(evaluated(path, SMALL, lemmatizer="transducer", **fields))


def small_config(treebank: Path) -> Params:
    path = Path("training_config/tagger_with_lemmatizer.jsonnet").resolve()
    return config_of(path, treebank=str(treebank), labeled_tokens=120, tagset="ud", prior=False)


def assert_same_weights(one: Path, other: Path) -> None:
    first, second = (load_archive(str(run)).model.state_dict() for run in (one, other))
    assert first.keys() == second.keys()
    assert [name for name in first if not torch.equal(first[name], second[name])] == []


def test_a_run_trains_both_and_is_recovered(
    treebank: Path, tmp_path: Path, allennlp: Callable[..., None]
) -> None:
    run = tmp_path / "run"
    made = train_model(small_config(treebank), str(run))
    assert isinstance(made, InferenceNetwork)
    metrics = json.loads((run / "metrics.json").read_text())
    folder = run / "components"
    of_tagger, of_lemmatizer = (
        json.loads((folder / name / "metrics.json").read_text())
        for name in ("tagger", "lemmatizer")
    )
    assert 0.0 <= of_tagger["joint_accuracy"] <= 1.0
    assert 0.0 <= of_lemmatizer["inflection_accuracy"] <= 1.0
    assert 0.0 < metrics["best_validation_tag_accuracy"] <= 1.0
    archive = load_archive(str(run))
    asked = list(archive.dataset_reader.read(f"{treebank}/dev"))
    assert archive.model.k_best(asked, 3) == made.k_best(asked, 3)
    # Stopped after its tagger and taken up again, it comes to the same.
    other = tmp_path / "other"
    train_model(small_config(treebank), str(other))
    (other / "components" / "lemmatizer" / "weights.th").unlink()
    (other / "best.th").unlink()
    (other / "model.tar.gz").unlink()
    train_model(small_config(treebank), str(other), recover=True)
    assert_same_weights(run, other)
    # The command line, with confidences, on words of strange characters and of one.
    text = tmp_path / "strange.txt"
    text.write_text(f"Ж ☃ {'a' * 60} Ünü\nI\n", encoding="utf-8")
    output = tmp_path / "annotated.conllu"
    options = ["--predictor", "analyze", "--use-dataset-reader", "--silent"]
    arguments = ["--predictor-args", json.dumps({"confidence": True})]
    allennlp("predict", run / "model.tar.gz", text, *options, *arguments, "--output-file", output)
    rows = [row for block in read_blocks(str(output)) for row in block]
    assert [row["form"] for row in rows] == ["Ж", "☃", "a" * 60, "Ünü", "I"]
    assert all(row["lemma"] for row in rows)
    assert all(0.0 <= float(row["misc"].split("Conf=")[1]) <= 1.0 for row in rows)


def test_other_components_are_not_trained(treebank: Path, tmp_path: Path) -> None:
    config = small_config(treebank).as_dict()
    del config["trainer"]["components"]["tagger"]
    with pytest.raises(ConfigurationError, match=r"\['lemmatizer'\]. Remedy: say how tagger and"):
        train_model(Params(deepcopy(config)), str(tmp_path / "run"))


def test_the_trainer_is_for_models_of_components(treebank: Path, tmp_path: Path) -> None:
    config = small_config(treebank).as_dict()
    config["model"] = config["model"]["tagger"]
    with pytest.raises(
        ConfigurationError, match="is for an edit_transducer, an svae that has one, a tagger_with"
    ):
        train_model(Params(config), str(tmp_path / "run"))


def test_wake_sleep_dreams_and_annotates_with_it(
    treebank: Path, svae_config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEBANK", str(treebank))
    run = tmp_path / "run"
    train_model(config_of(svae_config, treebank=str(treebank), prior=False), str(run))
    second = run / "wake_sleep" / "iteration_2"
    assert list(read_sentences(str(second / "dreams.conllu")))
    annotated = list(read_sentences(str(second / "annotated.conllu")))
    assert annotated
    # Dreams are lemmatized too, each as light as its sentence.
    assert (second / "tagger_lemmatizer" / "components" / "lemmatizer" / "weights.th").exists()
    archive = load_archive(str(run))
    raw = annotated[0].without_annotation()
    asked = archive.dataset_reader.readers["tagger_lemmatizer"].text_to_instance(raw)
    (again,) = archive.model.tagger_lemmatizer.annotate([asked], "best")
    assert [token.form for token in again.tokens] == raw.forms
    assert all(token.lemma and token.tag for token in again.tokens)


def test_words_without_lemma_or_tag_teach_the_lemmatizer_nothing(
    model: TaggerWithLemmatizer,
) -> None:
    bare = Sentence((Token("ev"), Token("ev", "ev"), Token("ev", None, MorphTag.parse("NOUN"))))
    assert model.component_instances("lemmatizer", [READER.text_to_instance(bare)]) == []
