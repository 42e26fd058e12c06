import torch
from allennlp.data import Vocabulary

from allennlp_svae.modules.word_features_embedder import WordFeaturesEmbedder

FEATURES = torch.tensor([[[2, 3, 0], [4, 0, 0]]])
VOCAB = Vocabulary(counter={"word_features": {"a": 3, "b": 2, "c": 1}})
OTHERS = {
    "words": torch.zeros(1, 2),
    "endings": torch.zeros(1, 2, 4),
    "mask": torch.ones(1, 2),
}


def embedder(**options):
    made = WordFeaturesEmbedder(VOCAB, 2, **options)
    made.linear.weight.data = torch.arange(10.0).view(5, 2)
    return made


def test_a_word_is_the_sum_of_its_features():
    assert embedder()(FEATURES, **OTHERS).tolist() == [[[10.0, 12.0], [8.0, 9.0]]]


def test_features_are_left_out_in_training_only():
    made = embedder(feature_dropout=0.5)
    torch.manual_seed(0)
    drawn = torch.cat([made(FEATURES, **OTHERS) for _ in range(400)])[:, 1, 0]
    assert set(drawn.tolist()) == {0.0, 8.0}
    assert 0.4 < float((drawn == 0.0).float().mean()) < 0.6
    assert made.eval()(FEATURES, **OTHERS).tolist() == [[[10.0, 12.0], [8.0, 9.0]]]
