"""Whether the language of a vocabulary tells i and İ from ı and I."""

from allennlp.data import Vocabulary

from allennlp_svae.data.casing import has_dotted_i
from allennlp_svae.dataset_readers.inflections import ATTESTED, LEMMAS
from allennlp_svae.dataset_readers.tagged_sentences import KNOWN_WORDS


def dotted_i(vocab: Vocabulary) -> bool:
    """Asked of all words that the vocabulary keeps: the text's, labelled lemmas, labelled words."""
    return has_dotted_i(
        entry
        for namespace in (ATTESTED, LEMMAS, KNOWN_WORDS)
        for entry in vocab.get_token_to_index_vocabulary(namespace)
    )
