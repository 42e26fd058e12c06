import torch
from allennlp.common import Params
from allennlp.training.optimizers import Optimizer


def trained(optimizer: str) -> torch.Tensor:
    torch.manual_seed(0)
    model = torch.nn.Linear(7, 3)
    made = Optimizer.from_params(
        Params({"type": optimizer, "lr": 0.03, "weight_decay": 0.3}),
        model_parameters=list(model.named_parameters()),
    )
    for _ in range(20):
        made.zero_grad()
        model(torch.randn(5, 7)).square().sum().backward()
        made.step()
    return model.weight.detach()


def test_its_updates_are_those_of_adamw() -> None:
    assert torch.allclose(trained("fused_adamw"), trained("adamw"), atol=1e-6)
    assert not torch.allclose(trained("fused_adamw"), trained("adam"), atol=1e-2)
