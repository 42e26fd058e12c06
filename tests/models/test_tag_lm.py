import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.testing import ModelTestCase
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Batch, Vocabulary
from allennlp.modules.seq2seq_encoders import LstmSeq2SeqEncoder
from scipy.stats import chisquare

import allennlp_svae.training.quarter_rate  # noqa: F401
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.tag_sequences import TagSequencesReader
from allennlp_svae.models.tag_lm import TagLanguageModel
from tests.models.language_model_configs import small_config

A, B, C = (MorphTag.parse(text) for text in ("N;ACC;SG", "N;PL", "V;PST"))
KNOWN = (A, B, C)
# Composed of parts that are known.
UNSEEN = MorphTag.parse("N;ACC;PL")
READER = TagSequencesReader()


def make_model(tied: bool = False, num_layers: int = 2) -> TagLanguageModel:
    """Parameters drawn wide, so that distributions are far from uniform."""
    torch.manual_seed(3)
    vocab = Vocabulary.from_instances([READER.text_to_instance(KNOWN)])
    contextualizer = LstmSeq2SeqEncoder(6, 6, num_layers)
    model = TagLanguageModel(vocab, 6, contextualizer, dropout=0.3, tie_embeddings=tied)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return model.eval()


def next_tag(
    model: TagLanguageModel, prefix: Sequence[Optional[MorphTag]], temperature: float = 1.0
) -> Dict[MorphTag, float]:
    """p(· | prefix), written out: explicit sums, and the network run over the whole prefix. What is missing is zero."""
    vocab = model.vocab

    def embed(embedder: torch.nn.Module, parts: Sequence[str]) -> torch.Tensor:
        weight = embedder._embedding._module.weight
        ids = [vocab.get_token_index(part, "tag_parts") for part in parts]
        return sum((weight[index] for index in ids), torch.zeros(6))

    start, end = MorphTag(START_SYMBOL), MorphTag(END_SYMBOL)
    with torch.no_grad():
        inputs = torch.stack(
            [embed(model.embedder, tag.parts if tag else ()) for tag in (start, *prefix)]
        )
        hidden = model.contextualizer._module(inputs.unsqueeze(0))[0][0, -1]
        bias = dict(zip(model._tags, model.softmax.bias.tolist(), strict=True))
        scores = {
            tag: float(hidden @ embed(model.softmax.embedder, tag.parts)) + bias[tag]
            for tag in (*KNOWN, end)
        }
    weights = {tag: math.exp(score / temperature) for tag, score in scores.items()}
    return {tag: weight / sum(weights.values()) for tag, weight in weights.items()}


def prefix_probability(
    model: TagLanguageModel, tags: Sequence[MorphTag], temperature: float = 1.0
) -> float:
    return math.prod(
        next_tag(model, tags[:position], temperature)[tag] for position, tag in enumerate(tags)
    )


def sequences(length: int) -> Iterator[Tuple[MorphTag, ...]]:
    return itertools.product(KNOWN, repeat=length)


@pytest.mark.parametrize("tied", [False, True])
def test_log_prob_is_the_chain_written_out(tied: bool) -> None:
    model = make_model(tied)
    asked: List[List[MorphTag]] = [[A, B, C], [], [C], [B, B, A, A, C]]
    instances = [READER.text_to_instance(tags) for tags in asked]
    end = MorphTag(END_SYMBOL)
    expected = [
        math.log(prefix_probability(model, tags) * next_tag(model, tags)[end]) for tags in asked
    ]
    assert model.log_prob(instances) == pytest.approx(expected, abs=1e-4)


def test_probabilities_sum_to_one() -> None:
    """All sequences up to a length, and what has not ended by then."""
    model = make_model()
    finished = [tags for length in range(4) for tags in sequences(length)]
    log_probs = model.log_prob([READER.text_to_instance(tags) for tags in finished])
    unfinished = sum(prefix_probability(model, tags) for tags in sequences(4))
    assert 0.02 < unfinished < 0.98
    assert sum(map(math.exp, log_probs)) + unfinished == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_samples_are_drawn_from_p(temperature: float) -> None:
    model, longest, count = make_model(), 3, 40000
    end = MorphTag(END_SYMBOL)
    expected: Dict[Tuple[MorphTag, ...], float] = {}
    for length in range(1, longest + 1):
        for tags in sequences(length):
            p = prefix_probability(model, tags, temperature)
            # The longest are cut off, ended or not.
            expected[tags] = p if length == longest else p * next_tag(model, tags, temperature)[end]
    not_empty = 1 - next_tag(model, (), temperature)[end]
    assert sum(expected.values()) == pytest.approx(not_empty)
    torch.manual_seed(0)
    found = Counter(tuple(tags) for tags in model.sample(count, temperature, max_length=longest))
    assert found.keys() <= expected.keys()
    # A chi-square test wants at least five of each outcome.
    theory = [p / not_empty * count for p in expected.values()]
    assert min(theory) > 5
    assert chisquare([found[tags] for tags in expected], theory).pvalue > 1e-3


def test_cold_samples_are_greedy() -> None:
    model = make_model()
    greedy: List[MorphTag] = []
    while len(greedy) < 4:
        p = next_tag(model, greedy)
        if not greedy:
            p.pop(MorphTag(END_SYMBOL))
        best = max(p, key=lambda tag: p[tag])
        if best == MorphTag(END_SYMBOL):
            break
        greedy.append(best)
    assert model.sample(20, temperature=1e-3, max_length=4) == [greedy] * 20


def test_hot_samples_hold_known_tags_only() -> None:
    sampled = make_model().sample(500, temperature=1e6, max_length=10)
    assert {tag for tags in sampled for tag in tags} == set(KNOWN)


def test_an_unseen_tag_is_read_by_its_parts_but_not_predicted() -> None:
    model = make_model()
    seen, unseen = READER.text_to_instance([A, C]), READER.text_to_instance([UNSEEN, C])
    assert model.log_prob([unseen, seen])[0] == -math.inf
    assert model.log_prob([unseen, seen])[1] > -math.inf
    batch = Batch([unseen])
    batch.index_instances(model.vocab)
    loss = model(**batch.as_tensor_dict())["loss"].item()
    expected = next_tag(model, [UNSEEN])[C] * next_tag(model, [UNSEEN, C])[MorphTag(END_SYMBOL)]
    assert loss == pytest.approx(-math.log(expected) / 2, abs=1e-4)
    metrics = model.get_metrics(reset=True)
    assert metrics["perplexity"] == pytest.approx(math.exp(loss))
    assert metrics["unknown_tag_rate"] == 0.5
    assert all(type(value) is float for value in metrics.values())


def test_a_missing_tag_is_left_out_and_tells_nothing(tmp_path: Path) -> None:
    path = tmp_path / "train.conllu"
    rows = [("NOUN", "Case=Acc|Number=Sing"), ("_", "_"), ("VERB", "Tense=Past")]
    lines = [f"{n}\ta\ta\t{pos}\t_\t{feats}" for n, (pos, feats) in enumerate(rows, start=1)]
    path.write_text("".join(line + "\t_" * 4 + "\n" for line in lines) + "\n", encoding="utf-8")
    model = make_model()
    batch = Batch(list(READER.read(str(path))))
    for instance in batch.instances:
        READER.apply_token_indexers(instance)
    batch.index_instances(model.vocab)
    loss = model(**batch.as_tensor_dict())["loss"].item()
    targets = [([], A), ([A, None], C), ([A, None, C], MorphTag(END_SYMBOL))]
    expected = [math.log(next_tag(model, prefix)[tag]) for prefix, tag in targets]
    assert loss == pytest.approx(-sum(expected) / 3, abs=1e-4)
    assert model.get_metrics()["unknown_tag_rate"] == 0.0


def test_weights_scale_sentences_and_metrics_ignore_them() -> None:
    model = make_model()
    sentences, weights = [[A, B, C], [C]], [3.0, 0.25]
    batch = Batch([READER.text_to_instance(*pair) for pair in zip(sentences, weights, strict=True)])
    batch.index_instances(model.vocab)
    loss = model(**batch.as_tensor_dict())["loss"].item()
    log_probs = model.log_prob([READER.text_to_instance(tags) for tags in sentences])
    expected = -sum(w * p for w, p in zip(weights, log_probs, strict=True)) / 6
    assert loss == pytest.approx(expected, abs=1e-4)
    perplexity = math.exp(-sum(log_probs) / 6)
    assert model.get_metrics()["perplexity"] == pytest.approx(perplexity, rel=1e-4)


def test_sampling_and_scoring_leave_the_mode_alone() -> None:
    model = make_model().train()
    model.sample(3)
    first, second = (model.log_prob([READER.text_to_instance([A, B])]) for _ in range(2))
    assert model.training
    assert first == second


def test_bad_parts_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="tag_sequences"):
        TagLanguageModel(Vocabulary(), 6, LstmSeq2SeqEncoder(6, 6))
    vocab = Vocabulary.from_instances([READER.text_to_instance(KNOWN)])
    with pytest.raises(ConfigurationError, match="left to right"):
        TagLanguageModel(vocab, 6, LstmSeq2SeqEncoder(6, 6, bidirectional=True))
    with pytest.raises(ConfigurationError, match="embedding_dim"):
        TagLanguageModel(vocab, 5, LstmSeq2SeqEncoder(6, 6))
    with pytest.raises(ConfigurationError, match="embedding_dim"):
        TagLanguageModel(vocab, 6, LstmSeq2SeqEncoder(6, 7), tie_embeddings=True)


class TestConfigs(ModelTestCase):
    @pytest.mark.parametrize("name", ["tag_lm.jsonnet", "paper/tag_lm.jsonnet"])
    def test_config_trains_saves_and_loads(self, name: str) -> None:
        path = small_config(name, self.TEST_DIR, "{ trainer+: { num_epochs: 2 } }")
        self.ensure_model_can_train_save_and_load(path, tolerance=1e-4)
