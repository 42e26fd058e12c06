import pytest
import torch

from allennlp_svae.modules.lemma_candidates import LemmaCandidates, batch_candidates
from allennlp_svae.modules.lemma_classifier import LemmaClassifier
from tests.models.crf_toy import VOCAB

FORMS = ["Evler", "gelir", "kitaplar"]
NUM_PARTS = 3


def test_it_is_the_softmax_over_a_forms_candidates():
    candidates = LemmaCandidates(VOCAB, 8)
    classifier = LemmaClassifier(candidates.num_features, NUM_PARTS)
    torch.nn.init.normal_(classifier.linear.weight)
    weight = classifier.linear.weight.detach()
    found = [candidates.of(form) for form in FORMS]
    distribution = classifier(batch_candidates(found, torch.device("cpu")))
    # Shape: (num_tags, num_parts)
    tags = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    sums = distribution.log_sum(tags)
    for form, of_form in enumerate(found):
        for tag, parts in enumerate(tags):
            columns = [0, *(1 + part for part in range(NUM_PARTS) if parts[part])]
            bags = torch.from_numpy(of_form.features).split(list(of_form.sizes))
            scores = torch.stack([weight[bag][:, columns].sum() for bag in bags])
            expected = scores.log_softmax(0)
            assert float(sums[form, tag]) == pytest.approx(float(scores.logsumexp(0)), abs=1e-4)
            pairs = distribution.log_probs(torch.tensor([form]), parts.unsqueeze(0))[0]
            assert torch.allclose(pairs[: len(bags)], expected, atol=1e-4)
            assert (pairs[len(bags) :] == -torch.inf).all()
            alone = distribution.of_form(form, [column - 1 for column in columns[1:]])
            assert alone == pytest.approx(expected.tolist(), abs=1e-4)
