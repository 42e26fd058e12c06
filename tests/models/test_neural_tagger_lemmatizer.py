"""The neural tagger-lemmatizer against enumeration of all that it can answer, and as a trained Model."""

import itertools
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
import torch
from allennlp.commands.train import train_model, train_model_from_file
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.testing import ModelTestCase
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.models import Model, load_archive

from allennlp_svae.data.conllu_format import write_sentences
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.dataset_readers.tagged_sentences import TaggedSentencesReader
from allennlp_svae.models.neural_tagger_lemmatizer import NeuralTaggerLemmatizer
from allennlp_svae.modules.tag_inventory import TagInventory
from tests.configs import evaluated
from tests.inflection_toy import assert_drawn_from
from tests.models.crf_toy import (
    Pairs,
    annotate_with,
    check_best_pairs,
    loss_of,
    pairs_of,
    sentence,
)

ANNOTATED = [
    "Evler/ev/NOUN;Case=Nom;Number=Plur uzak/uzak/ADJ ././PUNCT",
    "evi/ev/NOUN;Case=Acc;Number=Sing gördü/gör/VERB;Tense=Past ././PUNCT",
    "kitap/kitap/NOUN;Case=Nom;Number=Sing gelir/gel/VERB;Tense=Pres",
    "kitap/kitap/NOUN;Case=Nom;Number=Sing geldi/gel/VERB;Tense=Past",
]
UNSEEN = MorphTag.parse("NOUN;Case=Acc;Number=Plur")
READER_PARAMS: Dict[str, Any] = {
    "type": "tagged_sentences",
    "tagset": "ud",
    "token_indexers": {
        "word_features": {"type": "word_features"},
        "token_characters": {"type": "characters", "min_padding_length": 3},
    },
}
MODEL_PARAMS: Dict[str, Any] = {
    "type": "neural_tagger_lemmatizer",
    "embedder": {
        "token_embedders": {
            "word_features": {
                "type": "word_features",
                "embedding_dim": 6,
                "feature_dropout": 0.1,
            },
            "token_characters": {
                "type": "character_encoding",
                "embedding": {"embedding_dim": 4, "vocab_namespace": "token_characters"},
                "encoder": {
                    "type": "cnn",
                    "embedding_dim": 4,
                    "num_filters": 2,
                    "ngram_filter_sizes": [2, 3],
                },
            },
        },
    },
    "encoder": {"type": "lstm", "input_size": 10, "hidden_size": 6, "bidirectional": True},
    "hidden_dim": 8,
    "dropout": 0.1,
}
reader = DatasetReader.from_params(Params(json.loads(json.dumps(READER_PARAMS))))
WORDS = sentence("Evler// geldi//")


def instance_of(text: str, weight: float = 1.0) -> Instance:
    return reader.text_to_instance(sentence(text), weight)


TRAINING = [instance_of(text) for text in ANNOTATED]


@pytest.fixture
def model() -> NeuralTaggerLemmatizer:
    torch.manual_seed(3)
    params = Params(json.loads(json.dumps({**MODEL_PARAMS, "max_candidates": 4})))
    made = Model.from_params(vocab=Vocabulary.from_instances(TRAINING), params=params)
    assert isinstance(made, NeuralTaggerLemmatizer)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return made.eval()


def analyses_of(model: NeuralTaggerLemmatizer, form: str) -> List[Tuple[str, MorphTag]]:
    """Every lemma and every tag that seen parts make, said by hand."""
    cases, numbers, tenses = (
        [None, *each] for each in (("Nom", "Acc"), ("Sing", "Plur"), ("Past", "Pres"))
    )
    texts = ["ADJ", "PUNCT"]
    for case, number in itertools.product(cases, numbers):
        texts.append(
            "NOUN" + (f";Case={case}" if case else "") + (f";Number={number}" if number else "")
        )
    texts += ["VERB" + (f";Tense={tense}" if tense else "") for tense in tenses]
    lemmas = model.candidates.of(form).lemmas
    return list(itertools.product(lemmas, map(MorphTag.parse, texts)))


def log_probs(model: NeuralTaggerLemmatizer) -> Dict[Pairs, float]:
    """log q of every annotation of `WORDS`, each asked for by itself."""
    paths = list(itertools.product(*(analyses_of(model, form) for form in WORDS.forms)))
    assert len(paths) > 1000
    instances = [reader.text_to_instance(annotate_with(WORDS, path)) for path in paths]
    return dict(zip(paths, model.log_prob(instances), strict=True))


def test_all_it_can_answer_has_probability_one(model: NeuralTaggerLemmatizer) -> None:
    expected = log_probs(model)
    assert sum(map(math.exp, expected.values())) == pytest.approx(1.0, abs=1e-4)
    seen = {token.tag for text in ANNOTATED for token in sentence(text).tokens}
    assert UNSEEN not in seen
    assert all(math.isfinite(value) for value in expected.values())


def test_posteriors_are_sums_of_the_enumeration(model: NeuralTaggerLemmatizer) -> None:
    expected = log_probs(model)
    some = list(expected)[::97]
    annotations = [annotate_with(WORDS, path) for path in some]
    found = model.posteriors([reader.text_to_instance(WORDS)] * len(some), annotations)
    for path, posteriors in zip(some, found, strict=True):
        for position, posterior in enumerate(posteriors):
            same = (
                math.exp(q) for other, q in expected.items() if other[position] == path[position]
            )
            assert posterior == pytest.approx(sum(same), abs=1e-5)


def test_best_and_k_best_maximise_over_pairs(model: NeuralTaggerLemmatizer) -> None:
    expected = log_probs(model)
    instance = reader.text_to_instance(WORDS)
    ranked = sorted(expected, key=expected.__getitem__, reverse=True)
    (best,) = model.annotate([instance])
    assert pairs_of(best) == ranked[0]
    for k in (1, 30, 10_000):
        (found,) = model.k_best([instance], k)
        values = [log_prob for _, log_prob in found]
        assert values == pytest.approx([expected[path] for path in ranked[:k]], abs=1e-4)
        assert len({pairs_of(each) for each, _ in found}) == min(k, len(expected))
        for each, log_prob in found:
            assert expected[pairs_of(each)] == pytest.approx(log_prob, abs=1e-4)


def test_the_best_pairs_of_each_word_are_those_of_the_enumeration(
    model: NeuralTaggerLemmatizer,
) -> None:
    expected = log_probs(model)
    (found,) = model.analyses([reader.text_to_instance(WORDS)], 20)
    for position, analyses in enumerate(found):
        check_best_pairs(position, analyses, expected, 20)


def test_samples_are_drawn_from_the_distribution_over_pairs(model: NeuralTaggerLemmatizer) -> None:
    torch.manual_seed(0)
    samples = model.annotate([reader.text_to_instance(WORDS)] * 5000, how="sample")
    counts = Counter(str(pairs_of(each)) for each in samples)
    probabilities = {str(path): math.exp(value) for path, value in log_probs(model).items()}
    assert_drawn_from(counts, probabilities)


def test_the_loss_is_weighted_and_leaves_out_what_is_missing(model: NeuralTaggerLemmatizer) -> None:
    expected = log_probs(model)

    def total(position: int, tag: str) -> float:
        marginal: Dict[Any, float] = {}
        for path, value in expected.items():
            marginal[path[position][1]] = marginal.get(path[position][1], 0.0) + math.exp(value)
        return math.log(marginal[MorphTag.parse(tag)])

    full = "Evler/ev/NOUN;Case=Nom;Number=Plur geldi/gel/VERB;Tense=Past"
    (exact,) = model.log_prob([instance_of(full)])
    # No lemma: its tag alone; no tag: nothing.
    partial = "Evler//NOUN;Case=Nom;Number=Plur geldi/gel/"
    of_tag = total(0, "NOUN;Case=Nom;Number=Plur")
    loss = loss_of(model, instance_of(full, 3.0), instance_of(partial))
    assert loss == pytest.approx(-(3.0 * exact + of_tag) / 2, abs=1e-4)
    assert loss_of(model, instance_of("Evler/ev/X geldi/gel/")) == pytest.approx(0.0)
    metrics = model.get_metrics(reset=True)
    assert metrics["unknown_tag_rate"] == pytest.approx(1 / 4)
    # Two words of one sentence and one of the other; what is left out is no word of likelihood one.
    assert metrics["log_likelihood"] == pytest.approx((exact + of_tag) / 3, abs=1e-4)
    assert all(type(value) is float for value in metrics.values())


def test_tags_that_occur_once_are_never_whole_whatever_else_counts_tags() -> None:
    known = [token.tag for text in ANNOTATED for token in sentence(text).tokens]
    once = next(tag for tag in known if known.count(tag) == 1)
    inflections = InflectionsReader(tagset="ud")
    others = [inflections.text_to_instance("wug", once, form) for form in ("wug", "wugs")]
    vocab = Vocabulary.from_instances([*TRAINING, *others])
    params = Params(json.loads(json.dumps(MODEL_PARAMS)))
    is_frequent = Model.from_params(vocab=vocab, params=params).tag_classifier.is_frequent.tolist()
    assert is_frequent == [known.count(tag) > 1 for tag in TagInventory(vocab).tags]
    assert len(set(is_frequent)) == 2


def test_a_new_combination_can_be_told_apart_from_what_cannot_be(
    model: NeuralTaggerLemmatizer,
) -> None:
    texts = [
        "Evler/ev/NOUN;Case=Acc;Number=Plur",
        "ev/ev/NOUN;Case=Dat",
        "ev/ev/X",
        "ev/house/ADJ",
    ]
    new, *impossible = model.log_prob([instance_of(text) for text in texts])
    assert math.isfinite(new)
    assert impossible == [-math.inf] * 3
    (posteriors,) = model.posteriors(
        [instance_of("ev// ev//")], [sentence("ev/house/ADJ ev/ev/ADJ")]
    )
    assert posteriors[0] == 0.0 < posteriors[1]
    for ask in (model.log_prob, lambda each: model.posteriors(each, [WORDS])):
        with pytest.raises(DataError, match="'Evler' has no tag"):
            ask([reader.text_to_instance(WORDS)])


def test_in_training_an_unreachable_lemma_is_a_candidate(model: NeuralTaggerLemmatizer) -> None:
    instance, free = instance_of("ev/house/ADJ"), instance_of("ev//ADJ")
    assert loss_of(model, instance) == pytest.approx(loss_of(model, free), abs=1e-5)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    model.embedder.token_embedder_word_features.feature_dropout = 0.0
    assert loss_of(model.train(), instance) > loss_of(model, free) + 0.1


def test_results_do_not_depend_on_the_company(model: NeuralTaggerLemmatizer) -> None:
    texts = [*ANNOTATED, "kitap/kitap/ADJ " * 6, "ev/ev/NOUN"]
    instances = [instance_of(text) for text in texts]
    together, alone = model.log_prob(instances), [model.log_prob([each])[0] for each in instances]
    assert together == pytest.approx(alone, abs=1e-4)
    assert model.annotate(instances) == [model.annotate([each])[0] for each in instances]
    # A raw sentence and annotated ones share a batch.
    annotated = model.annotate([instance_of("ev//"), *instances])
    assert annotated[0].forms == ["ev"]


def test_bad_requests_are_refused(model: NeuralTaggerLemmatizer) -> None:
    with pytest.raises(ValueError, match="how must be"):
        model.annotate([], how="worst")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1"):
        model.k_best([], 0)


def test_blocks_that_do_not_fit_are_refused() -> None:
    vocab = Vocabulary.from_instances(TRAINING)
    params = json.loads(json.dumps(MODEL_PARAMS))
    with pytest.raises(ConfigurationError, match="encoder input"):
        Model.from_params(vocab=vocab, params=Params({**params, "word_vectors": {"dim": 3}}))
    params = json.loads(json.dumps({**MODEL_PARAMS, "word_vectors": {"dim": 3}}))
    params["encoder"]["input_size"] = 4 + 4
    del params["embedder"]["token_embedders"]["word_features"]
    characters = reader._token_indexers["token_characters"]
    only_characters = TaggedSentencesReader(token_indexers={"token_characters": characters})
    made = Model.from_params(vocab=vocab, params=Params(params))
    with pytest.raises(ConfigurationError, match="token indexer 'word_features'"):
        made.annotate([only_characters.text_to_instance(WORDS)])


@pytest.mark.parametrize(
    ("name", "namespace", "size"), [("word_vectors", "words", 4), ("ending_vectors", "endings", 16)]
)
def test_vectors_are_read(name: str, namespace: str, size: int) -> None:
    vocab = Vocabulary.from_instances(TRAINING)
    params = {**MODEL_PARAMS, name: {"dim": 3, "namespace": namespace}}
    params = json.loads(json.dumps(params))
    params["encoder"]["input_size"] += size
    model = Model.from_params(vocab=vocab, params=Params(params)).eval()
    before = model.log_prob(TRAINING)
    getattr(model, name).table.normal_()
    assert model.log_prob(TRAINING) != pytest.approx(before)


class TestNeuralTaggerLemmatizer(ModelTestCase):
    def setup_method(self) -> None:
        super().setup_method()
        data = Path(self.TEST_DIR) / "train.conllu"
        write_sentences(str(data), map(sentence, ANNOTATED), "ud")
        config = {
            "dataset_reader": READER_PARAMS,
            "train_data_path": str(data),
            "validation_data_path": str(data),
            "datasets_for_vocab_creation": ["train"],
            "model": MODEL_PARAMS,
            "data_loader": {"batch_size": 2, "shuffle": True},
            "trainer": {
                "num_epochs": 40,
                "optimizer": {"type": "dense_sparse_adam", "lr": 0.02},
                "grad_norm": 5.0,
                "cuda_device": -1,
            },
        }
        path = Path(self.TEST_DIR) / "config.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        self.set_up_model(path, data)

    def test_it_trains_saves_and_loads(self) -> None:
        self.ensure_model_can_train_save_and_load(
            self.param_file,
            metric_to_check="joint_accuracy",
            metric_terminal_value=1.0,
            metric_tolerance=1e-9,
        )

    def test_batches_agree_with_single_instances(self) -> None:
        self.ensure_batch_predictions_are_consistent(keys_to_ignore=["loss"])

    def test_one_seed_gives_one_archive_that_says_what_was_trained(self) -> None:
        folders = [Path(self.TEST_DIR) / name for name in ("one", "other")]
        first, second = (train_model_from_file(self.param_file, folder) for folder in folders)
        weights = first.state_dict()
        assert all(torch.equal(weights[name], value) for name, value in second.state_dict().items())
        archive = load_archive(folders[0])
        asked = [archive.dataset_reader.text_to_instance(WORDS)]
        assert archive.model.k_best(asked, 20) == first.k_best(asked, 20)
        # Which tags are whole ones was learned from counts, which no archive has.
        is_whole = archive.model.tag_classifier.is_frequent
        assert 0 < int(is_whole.sum()) < len(is_whole)


def test_wake_sleep_dreams_and_annotates_with_it(
    treebank, svae_config, tmp_path, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("TREEBANK", str(treebank))
    body = """{
      parts+:: {
        tagger_lemmatizer+: {
          components+:: { tagger+: { hidden_size:: 4, data_loader+: { batches_per_epoch: 5 } } },
        },
      },
    }"""
    config = evaluated(svae_config, body, treebank=str(treebank), tagger="neural")
    run = tmp_path / "run"
    trained = train_model(Params(config), str(run))
    second = run / "wake_sleep" / "iteration_2"
    assert list(read_sentences(str(second / "dreams.conllu")))
    annotated = list(read_sentences(str(second / "annotated.conllu")))
    assert all(token.lemma and token.tag for each in annotated for token in each.tokens)
    archive = load_archive(str(run))
    raw = Sentence(tuple(Token(token.form) for token in annotated[0].tokens))
    asked = archive.dataset_reader.readers["tagger_lemmatizer"].text_to_instance(raw)
    loaded, made = (each.tagger_lemmatizer.k_best([asked], 5) for each in (archive.model, trained))
    assert loaded == made
