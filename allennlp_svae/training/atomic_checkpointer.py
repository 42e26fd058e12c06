"""A checkpointer that leaves a whole checkpoint or none, at whatever moment the run is killed."""

import os
from typing import Any, Optional

import torch
from allennlp.training.checkpointer import Checkpointer
from allennlp.training.trainer import Trainer, TrainerCheckpoint

from allennlp_svae.training.whole_file import whole_file

BEST = "best.th"


def save_atomically(value: Any, path: str) -> None:
    """`torch.save`, so that `path` is never half written."""
    with whole_file(path) as unfinished:
        torch.save(value, unfinished)


@Checkpointer.register("atomic")
class AtomicCheckpointer(Checkpointer):
    """
    AllenNLP's `Checkpointer`, writing each file whole and the model state, by which a checkpoint is
    found, last. Takes the same parameters.

    The trainer notes which weights are best only after it has saved the checkpoint. So that a run
    recovered from a best epoch still knows it, that is mended on loading; with a moving average
    only where the best weights had been written.
    """

    def save_checkpoint(self, trainer: Trainer) -> None:
        state = trainer.get_checkpoint_state()
        if self._serialization_dir is None or state is None:
            return
        at = (
            state.trainer_state["epochs_completed"],
            state.trainer_state["batches_in_epoch_completed"],
        )
        save_atomically(state.trainer_state, self._training_state_path(*at))
        save_atomically(state.model_state, self._model_state_path(*at))
        # Finds both files in place and only does its own bookkeeping: times, and which old ones go.
        super().save_checkpoint(trainer)

    def load_checkpoint(self) -> Optional[TrainerCheckpoint]:
        checkpoint = super().load_checkpoint()
        if checkpoint is None:
            return None
        model_state, trainer_state = checkpoint
        best = os.path.join(self._serialization_dir, BEST)
        just_completed = trainer_state["epochs_completed"] - 1
        if (
            trainer_state["metric_tracker"]["best_epoch"] == just_completed
            and "moving_average" not in trainer_state
        ):
            save_atomically(model_state, best)
        if os.path.exists(best):
            trainer_state["best_model_filename"] = best
        return checkpoint
