"""What callbacks that choose which epochs are validated have in common."""

from typing import Any

from allennlp.training import GradientDescentTrainer, TrainerCallback


class ValidatedEpochs(TrainerCallback):
    """
    Only epochs that it `validates` are validated, and can be the best. AllenNLP's `should_validate_callback` decides
    when the epoch before ends, so that a recovered run goes on with what holds for its first.
    """

    def validates(self, trainer: GradientDescentTrainer, epoch: int) -> bool:
        """Whether the epoch, counted from zero, is one of them."""
        raise NotImplementedError

    def on_batch(
        self,
        trainer: GradientDescentTrainer,
        batch_inputs: Any,
        batch_outputs: Any,
        batch_metrics: Any,
        epoch: int,
        batch_number: int,
        is_training: bool,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        # Not in `on_epoch`: what the trainer then reads before the next epoch is about the last.
        trainer._should_validate_this_epoch = self.validates(trainer, epoch)
