import itertools
import math
from collections import Counter
from typing import Dict, List

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.testing import ModelTestCase
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Batch, Instance, Vocabulary
from allennlp.modules import Embedding
from allennlp.modules.seq2seq_encoders import LstmSeq2SeqEncoder
from scipy.stats import chisquare

from allennlp_svae.dataset_readers.lemmas import LemmasReader
from allennlp_svae.models.lemma_lm import LemmaLanguageModel
from tests.models.language_model_configs import small_config

ALPHABET = "aı"
READER = LemmasReader()
VOCAB = Vocabulary.from_instances(
    [READER.text_to_instance(ALPHABET, "N"), READER.text_to_instance(ALPHABET, "V")]
)


def make_model(vocab: Vocabulary = VOCAB, dropout: float = 0.3) -> LemmaLanguageModel:
    """Parameters drawn wide, so that distributions are far from uniform and depend on the POS."""
    torch.manual_seed(2)
    model = LemmaLanguageModel(
        vocab,
        Embedding(embedding_dim=4, vocab_namespace="characters", vocab=vocab),
        Embedding(embedding_dim=3, vocab_namespace="pos", vocab=vocab),
        LstmSeq2SeqEncoder(7, 6),
        dropout,
    )
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return model.eval()


def next_character(
    model: LemmaLanguageModel, prefix: str, pos: str, temperature: float = 1.0
) -> Dict[str, float]:
    """p(· | prefix, pos), written out: the network run over the whole prefix."""
    index = model.vocab.get_token_index
    allowed = (*ALPHABET, END_SYMBOL)
    with torch.no_grad():
        condition = model.pos_embedder.weight[index(pos, "pos")]
        inputs = [
            torch.cat([model.character_embedder.weight[index(character, "characters")], condition])
            for character in (START_SYMBOL, *prefix)
        ]
        hidden = model.contextualizer._module(torch.stack(inputs).unsqueeze(0))[0][0, -1]
        scores = model.projection(hidden)
    weights = {c: math.exp(scores[index(c, "characters")].item() / temperature) for c in allowed}
    return {c: weight / sum(weights.values()) for c, weight in weights.items()}


def prefix_probability(
    model: LemmaLanguageModel, lemma: str, pos: str, temperature: float = 1.0
) -> float:
    return math.prod(
        next_character(model, lemma[:position], pos, temperature)[character]
        for position, character in enumerate(lemma)
    )


def strings(length: int) -> List[str]:
    return ["".join(characters) for characters in itertools.product(ALPHABET, repeat=length)]


def loss_of(model: LemmaLanguageModel, instances: List[Instance]) -> torch.Tensor:
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    return model(**batch.as_tensor_dict())["loss"]


def test_log_prob_is_the_chain_written_out() -> None:
    model = make_model()
    asked = [("aıa", "N"), ("", "N"), ("a", "V"), ("ııaaı", "V")]
    expected = [
        math.log(prefix_probability(model, *pair) * next_character(model, *pair)[END_SYMBOL])
        for pair in asked
    ]
    found = model.log_prob([READER.text_to_instance(*pair) for pair in asked])
    assert found == pytest.approx(expected, abs=1e-4)


def test_the_part_of_speech_matters() -> None:
    noun, verb = make_model().log_prob([READER.text_to_instance("aı", pos) for pos in "NV"])
    assert abs(noun - verb) > 0.01


@pytest.mark.parametrize("pos", ["N", "V"])
def test_probabilities_sum_to_one(pos: str) -> None:
    """All strings up to a length, and what has not ended by then."""
    model = make_model()
    finished = [lemma for length in range(5) for lemma in strings(length)]
    log_probs = model.log_prob([READER.text_to_instance(lemma, pos) for lemma in finished])
    unfinished = sum(prefix_probability(model, lemma, pos) for lemma in strings(5))
    assert 0.01 < unfinished < 0.99
    assert sum(map(math.exp, log_probs)) + unfinished == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("temperature", [1.0, 0.75])
def test_samples_are_drawn_from_p_given_each_part_of_speech(temperature: float) -> None:
    model, longest, count = make_model(), 3, 10000
    torch.manual_seed(7)
    sampled = model.sample(["N", "V"] * count, temperature, max_length=longest)
    for pos, lemmas in (("N", sampled[::2]), ("V", sampled[1::2])):
        not_empty = 1 - next_character(model, "", pos, temperature)[END_SYMBOL]
        expected: Dict[str, float] = {}
        for length in range(1, longest + 1):
            for lemma in strings(length):
                p = prefix_probability(model, lemma, pos, temperature)
                # The longest are cut off, ended or not.
                if length < longest:
                    p *= next_character(model, lemma, pos, temperature)[END_SYMBOL]
                expected[lemma] = p / not_empty * count
        found = Counter(lemmas)
        assert found.keys() <= expected.keys()
        # A chi-square test wants at least five of each outcome.
        assert min(expected.values()) > 5
        theory = list(expected.values())
        assert chisquare([found[lemma] for lemma in expected], theory).pvalue > 1e-3


def test_cold_samples_are_greedy() -> None:
    model = make_model()
    greedy = ""
    while len(greedy) < 6:
        p = next_character(model, greedy, "V")
        if not greedy:
            p.pop(END_SYMBOL)
        best = max(p, key=lambda character: p[character])
        if best == END_SYMBOL:
            break
        greedy += best
    assert model.sample(["V"] * 10, temperature=1e-3, max_length=6) == [greedy] * 10


def test_hot_samples_hold_characters_only() -> None:
    lemmas = make_model().sample(["N"] * 300, temperature=1e6, max_length=8)
    assert set("".join(lemmas)) == set(ALPHABET)
    assert max(map(len, lemmas)) == 8
    assert min(map(len, lemmas)) == 1
    assert make_model().sample([]) == []


def test_distinct_lemmas_weighted_by_count_have_the_gradient_of_their_tokens() -> None:
    model = make_model(dropout=0.0)
    counts = {("aıa", "N"): 4, ("ı", "V"): 1, ("aa", "V"): 3, ("aıa", "V"): 2}
    tokens = [READER.text_to_instance(*pair) for pair, n in counts.items() for _ in range(n)]
    types = [READER.text_to_instance(*pair, weight=0.4 * n) for pair, n in counts.items()]
    # Each with END.
    characters = [sum(len(one["lemma"]) - 1 for one in instances) for instances in (tokens, types)]
    assert characters == [35, 13]
    losses, gradients = [], []
    for instances, factor in ((tokens, 35), (types, 13 / 0.4)):
        model.zero_grad()
        loss = factor * loss_of(model, instances)
        loss.backward()
        losses.append(loss.item())
        gradients.append([parameter.grad.clone() for parameter in model.parameters()])
    assert any(gradient.abs().max() > 1e-3 for gradient in gradients[0])
    torch.testing.assert_close(gradients[0], gradients[1], rtol=1e-4, atol=1e-5)
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_a_batch_of_light_lemmas_has_little_to_say() -> None:
    model = make_model()
    heavy, light, none = (
        loss_of(model, [READER.text_to_instance(lemma, "N", weight) for lemma in ("aı", "ıı")])
        for weight in (1.0, 0.01, 0.0)
    )
    assert light.item() == pytest.approx(0.01 * heavy.item(), rel=1e-5)
    assert none.item() == 0.0


def test_metrics_are_floats_over_weighted_characters() -> None:
    model = make_model()
    pairs, weights = [("aıa", "N"), ("ı", "V")], [3.0, 1.0]
    loss_of(model, [READER.text_to_instance(*p, w) for p, w in zip(pairs, weights, strict=True)])
    log_probs = model.log_prob([READER.text_to_instance(*pair) for pair in pairs])
    nats = -(3 * log_probs[0] + log_probs[1]) / (3 * 4 + 2)
    metrics = model.get_metrics(reset=True)
    assert metrics["bits_per_character"] == pytest.approx(nats / math.log(2), rel=1e-4)
    assert metrics["perplexity"] == pytest.approx(math.exp(nats), rel=1e-4)
    assert all(type(value) is float for value in metrics.values())


def test_an_unknown_character_is_not_predicted() -> None:
    model = make_model()
    unknown, known = READER.text_to_instance("aéı", "N"), READER.text_to_instance("aı", "N")
    log_probs = model.log_prob([unknown, known])
    assert log_probs[0] == -math.inf
    assert log_probs[1] > -math.inf
    assert math.isfinite(loss_of(model, [unknown]).item())


def test_bad_parts_are_refused() -> None:
    characters = Embedding(embedding_dim=4, vocab_namespace="characters", vocab=VOCAB)
    pos = Embedding(embedding_dim=3, vocab_namespace="pos", vocab=VOCAB)
    with pytest.raises(ConfigurationError, match="lemmas"):
        LemmaLanguageModel(Vocabulary(), characters, pos, LstmSeq2SeqEncoder(7, 6))
    with pytest.raises(ConfigurationError, match="contextualizer input"):
        LemmaLanguageModel(VOCAB, characters, pos, LstmSeq2SeqEncoder(8, 6))
    with pytest.raises(ConfigurationError, match="left to right"):
        LemmaLanguageModel(VOCAB, characters, pos, LstmSeq2SeqEncoder(7, 6, bidirectional=True))


class TestConfigs(ModelTestCase):
    @pytest.mark.parametrize("name", ["lemma_lm.jsonnet", "paper/lemma_lm.jsonnet"])
    def test_config_trains_saves_and_loads(self, name: str) -> None:
        path = small_config(name, self.TEST_DIR, "{ trainer+: { num_epochs: 2 } }")
        self.ensure_model_can_train_save_and_load(path, tolerance=1e-4)
