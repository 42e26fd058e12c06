"""Semi-supervised wake-sleep as an AllenNLP trainer callback (paper, section 5, Algorithm 1)."""

import logging
import os
from functools import partial
from typing import Any, Callable, Dict, List, Literal, Optional, Sequence

from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance
from allennlp.models import Model
from allennlp.training import GradientDescentTrainer, TrainerCallback

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token, triples_of
from allennlp_svae.dataset_readers.svae import SvaeReader
from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.models.svae import PARTS, StructuredVAE
from allennlp_svae.training.calibrate import MAX_SENTENCES, calibrate, save_best
from allennlp_svae.training.instances_loader import (
    InstancesLoader,
    evaluation_loader,
    seed_everything,
)
from allennlp_svae.training.iteration_files import IterationFiles
from allennlp_svae.training.objective import repetitions, weighted_union
from allennlp_svae.training.part_training import (
    METRICS,
    PartTraining,
    best_validation,
    is_finished,
    load_finished,
    snapshot,
    write_json,
)
from allennlp_svae.training.resumed import is_resumed
from allennlp_svae.training.side_by_side import side_by_side

logger = logging.getLogger(__name__)


@TrainerCallback.register("wake_sleep")
class WakeSleep(TrainerCallback):
    """
    Trains the parts of an `svae` by wake-sleep before the outer trainer's first epoch. The outer trainer
    then trains the inflector of the last iteration, as it would without this callback but on labelled and
    annotated data. What each iteration dreamed, annotated, measured and learned lies in the run's folder
    under `wake_sleep/iteration_N/`; a recovered run continues from it.

    # Parameters

    serialization_dir : `str`
        Given by AllenNLP.
    unlabeled : `List[str]`
        Data paths of the unlabelled sentences; their annotation, if any, is not read.
    parts : `Dict[str, PartTraining]`
        How each of `tag_lm`, `lemma_lm`, `inflector` and `tagger_lemmatizer` is trained.
    iterations : `int`, optional (default = `2`)
        I of Algorithm 1.
    gamma_sleep : `float`, optional (default = `0.25`)
        Weight of the dreams in q's objective.
    gamma_wake : `float`, optional (default = `0.25`)
        Weight of the annotated raw text in p's objective.
    annotation : `str`, optional (default = `"sample"`)
        Whether q annotates by a `sample` from its posterior, as in the paper, or by its `best` path.
    min_confidence : `float`, optional (default = `0.0`)
        The inflector learns from words whose lemma and tag have at least this probability under q. Not so the language
        models, to which words that are easily annotated are not all there is.
    temperature : `float`, optional (default = `0.75`)
        Of the lemma LM in dreams (Appendix A).
    seed : `int`, optional (default = `13370`)

    # Raises

    `ConfigurationError` where one of them is out of its range.
    """

    def __init__(
        self,
        serialization_dir: str,
        unlabeled: List[str],
        parts: Dict[str, PartTraining],
        iterations: int = 2,
        gamma_sleep: float = 0.25,
        gamma_wake: float = 0.25,
        annotation: Literal["best", "sample"] = "sample",
        min_confidence: float = 0.0,
        temperature: float = 0.75,
        seed: int = 13370,
    ) -> None:
        super().__init__(serialization_dir)
        if set(parts) != set(PARTS):
            raise ConfigurationError(f"`parts` of wake_sleep must be {', '.join(PARTS)}.")
        for is_right, rule in (
            (iterations >= 1, "`iterations` of wake_sleep must be at least 1."),
            (gamma_sleep >= 0.0, "`gamma_sleep` of wake_sleep must not be negative."),
            (gamma_wake >= 0.0, "`gamma_wake` of wake_sleep must not be negative."),
            (annotation in ("best", "sample"), "`annotation` of wake_sleep is best or sample."),
            (0.0 <= min_confidence <= 1.0, "`min_confidence` of wake_sleep must be from 0 to 1."),
            (temperature > 0.0, "`temperature` of wake_sleep must be above 0."),
        ):
            if not is_right:
                raise ConfigurationError(rule)
        self.unlabeled = unlabeled
        self.parts = parts
        self.iterations = iterations
        self.gamma_sleep = gamma_sleep
        self.gamma_wake = gamma_wake
        self.annotation = annotation
        self.min_confidence = min_confidence
        self.temperature = temperature
        self._files = IterationFiles(serialization_dir, seed)

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        """Algorithm 1, up to the last line of its last iteration, which is the outer trainer's."""
        self._bind(trainer)
        if not is_resumed(trainer):
            for iteration in range(1, self.iterations + 1):
                dreamed = self._dream(iteration) if iteration > 1 else None
                self._fit(["tagger_lemmatizer"], iteration, dreamed, self.gamma_sleep)
                annotated = self._annotate(iteration)
                self._fit(["tag_lm", "lemma_lm"], iteration, annotated, self.gamma_wake)
                self._remember_lemmas(annotated)
                confident = self._confident(iteration, annotated)
                if iteration < self.iterations:
                    self._fit(["inflector"], iteration, confident, self.gamma_wake)
                else:
                    self._begin("inflector")
        self._hand_over(trainer)

    def on_end(
        self,
        trainer: GradientDescentTrainer,
        metrics: Optional[Dict[str, Any]] = None,
        epoch: Optional[int] = None,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        if metrics is not None:
            self._calibrate(trainer)
            folder = self._files.folder(self.iterations, "inflector")
            os.makedirs(folder, exist_ok=True)
            write_json(best_validation(metrics), os.path.join(folder, METRICS))

    def _calibrate(self, trainer: GradientDescentTrainer) -> None:
        """What q and p say together; each by itself has been calibrated by its own trainer, or will be."""
        if self.model.analyzer is None:
            return
        loader = self._development_loader("tagger_lemmatizer")
        if loader is not None:
            calibrate(self.model.analyzer, loader, MAX_SENTENCES)
            save_best(trainer)

    def _bind(self, trainer: GradientDescentTrainer) -> None:
        model, loader = trainer.model, trainer.data_loader
        reader = getattr(loader, "reader", None)
        if not isinstance(model, StructuredVAE) or not isinstance(reader, SvaeReader):
            raise ConfigurationError("wake_sleep trains a model `svae` read by a reader `svae`.")
        self.model: StructuredVAE = model
        self.reader: SvaeReader = reader
        self.labeled: str = loader.data_path
        self.cuda_device = -1 if trainer.cuda_device.type == "cpu" else trainer.cuda_device.index
        self._fresh = {part: snapshot(getattr(model, part)) for part in PARTS}
        validation = trainer._validation_data_loader
        self.development: Optional[str] = None if validation is None else validation.data_path

    # Sleep phase

    def _dream(self, iteration: int) -> str:
        """
        Samples as many sentences ⟨f, ℓ, m⟩ ~ p as are labelled, no longer than the longest of these; returns the path
        of the file that holds them.
        """

        def sample() -> List[Sentence]:
            lengths = [len(sentence) for sentence in self.reader.sentences(self.labeled)]
            # The weight of a sentence is that of all its words: dreams of a hundred would outweigh the labelled ones.
            return self.model.dream(
                len(lengths), self._instance_of_pair, self.temperature, max_length=max(lengths)
            )

        return self._written("dreams.conllu", iteration, sample)

    # Wake phase

    def _annotate(self, iteration: int) -> str:
        """Annotates the unlabelled sentences with q; returns the path of the file that holds them."""

        def annotate() -> List[Sentence]:
            instances = [
                self._instance_of_words(sentence)
                for path in self.unlabeled
                for sentence in self.reader.sentences(path)
            ]
            if not instances:
                raise DataError(
                    "There is no raw text: no sentence is left unlabelled.",
                    ", ".join(self.unlabeled),
                    remedy="lower labeled_tokens or name text in unlabeled.",
                )
            return self.model.tagger_lemmatizer.annotate(instances, self.annotation)

        return self._written("annotated.conllu", iteration, annotate)

    def _confident(self, iteration: int, annotated: str) -> str:
        """The annotated sentences, but without lemma and tag where q is less sure than `min_confidence`."""
        if self.min_confidence == 0.0:
            return annotated

        def leave_out() -> List[Sentence]:
            sentences = list(self.reader.sentences(annotated))
            instances = [self._instance_of_words(sentence) for sentence in sentences]
            posteriors = self.model.tagger_lemmatizer.posteriors(instances, sentences)
            return [
                Sentence(
                    tuple(
                        # A sampled lemma may be empty, which is read as none.
                        token if token.lemma and prob >= self.min_confidence else Token(token.form)
                        for token, prob in zip(sentence.tokens, probs, strict=True)
                    )
                )
                for sentence, probs in zip(sentences, posteriors, strict=True)
            ]

        return self._written("confident.conllu", iteration, leave_out)

    # Both

    def _fit(
        self, names: Sequence[str], iteration: int, unlabeled: Optional[str], gamma: float
    ) -> None:
        """Maximizes the log-likelihood of each of the parts on labelled and dreamed or annotated data."""
        unfinished = [
            name for name in names if not is_finished(self._files.folder(iteration, name))
        ]
        for name in unfinished:
            self._begin(name)
        side_by_side(
            {name: partial(self._train, name, iteration, unlabeled, gamma) for name in unfinished},
            processes=None if self.cuda_device < 0 else 1,
        )
        # Also after training: what follows then starts from the file, recovered or not.
        for name in names:
            load_finished(getattr(self.model, name), self._files.folder(iteration, name))

    def _train(self, name: str, iteration: int, unlabeled: Optional[str], gamma: float) -> None:
        logger.info("Wake-sleep iteration %d: training %s", iteration, name)
        self.parts[name].fit(
            getattr(self.model, name),
            self._instances(name, unlabeled, gamma),
            self._development_loader(name),
            self._files.folder(iteration, name),
            self._files.seed(iteration, name),
            self.cuda_device,
        )

    def _begin(self, name: str) -> None:
        """From fresh parameters, or from those of the iteration before."""
        part: Model = getattr(self.model, name)
        if not self.parts[name].warm_start:
            part.load_state_dict(self._fresh[name])
        elif isinstance(part, InflectionModel):
            part.forget()

    def _remember_lemmas(self, annotated: str) -> None:
        """Not saved apart: a recovered run counts them again."""
        if self.model.lemma_memory is not None:
            labeled, others = (
                [(triple.lemma, triple.tag) for triple in triples_of(self.reader.sentences(path))]
                for path in (self.labeled, annotated)
            )
            self.model.lemma_memory.fill(labeled, others, self.gamma_wake)

    def _instances(self, name: str, unlabeled: Optional[str], gamma: float) -> List[Instance]:
        reader = self.reader.readers[name]
        labeled = list(reader.read(self.labeled))
        if unlabeled is None or not self._is_annotated(unlabeled):
            return labeled
        others = list(reader.read(unlabeled))
        return weighted_union(labeled, others, gamma, repetitions(labeled, others, gamma))

    def _is_annotated(self, path: str) -> bool:
        # There may be no dream: no reader takes an empty file.
        if os.path.getsize(path) and any(triples_of(self.reader.sentences(path))):
            return True
        logger.warning("Nothing is learned from %s: no word in it is annotated.", path)
        return False

    def _hand_over(self, trainer: GradientDescentTrainer) -> None:
        """Gives the outer trainer labelled + annotated data, for the last line of Algorithm 1."""
        confident = self._confident(self.iterations, self._annotate(self.iterations))
        loader = self.parts["inflector"].loader(
            self._instances("inflector", confident, self.gamma_wake),
            self.model,
            self._files.seed(self.iterations, "inflector"),
        )
        loader.set_target_device(trainer.cuda_device)
        loader.finished_epochs = trainer._start_after_epochs_completed
        trainer.data_loader = loader
        # Whatever has been read back instead of done.
        seed_everything(self._files.seed(self.iterations, "inflector"))

    def _development_loader(self, name: str) -> Optional[InstancesLoader]:
        if self.development is None:
            return None
        return evaluation_loader(self.reader.readers[name].read(self.development), self.model.vocab)

    def _instance_of_words(self, sentence: Sentence) -> Instance:
        return self.reader.readers["tagger_lemmatizer"].text_to_instance(
            sentence.without_annotation()
        )

    def _instance_of_pair(self, *pair: Any) -> Instance:
        return self.reader.readers["inflector"].text_to_instance(*pair)

    def _written(self, name: str, iteration: int, make: Callable[[], List[Sentence]]) -> str:
        return self._files.sentences(iteration, name, make, self.reader.tagset)
