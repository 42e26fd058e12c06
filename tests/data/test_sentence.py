from collections import Counter

from allennlp_svae.data.sentence import Sentence, Token, Triple, triples_of
from allennlp_svae.data.tag import MorphTag

NOUN, PUNCT = MorphTag.parse("N;SG"), MorphTag.parse("_")
DOG = Token("dog", "dog", NOUN)


def test_triples_are_counted_in_order_and_only_of_annotated_tokens():
    sentences = [
        Sentence((Token("cat", "cat", NOUN), DOG, Token("the", None, NOUN), Token("a", "a"))),
        Sentence((DOG, Token(".", ".", PUNCT), Token("raw"))),
    ]
    assert list(Counter(triples_of(sentences)).items()) == [
        (Triple("cat", "cat", NOUN), 1),
        (Triple("dog", "dog", NOUN), 2),
        (Triple(".", ".", PUNCT), 1),
    ]


def test_annotation_can_be_left_out():
    sentence = Sentence((DOG, Token(".", ".", PUNCT)))
    assert sentence.without_annotation() == Sentence((Token("dog"), Token(".")))
    assert sentence.forms == ["dog", "."]
    assert len(sentence) == 2
