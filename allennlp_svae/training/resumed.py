"""Whether a trainer goes on from a checkpoint."""

from allennlp.training import GradientDescentTrainer


def is_resumed(trainer: GradientDescentTrainer) -> bool:
    """From one of an epoch's end or, as a checkpointer may be told to save, from one within an epoch."""
    return bool(
        trainer._start_after_epochs_completed or trainer._start_after_batches_in_epoch_completed
    )
