"""
UDPipe 1's tagger and lemmatizer (Straka, Hajič & Straková 2016) by its Python binding, with the settings that it
has by itself; no tokenizer and no parser:

    python -m benchmarks.udpipe fit LABELED.conllu DEV.conllu MODEL
    python -m benchmarks.udpipe predict MODEL QUESTIONS.conllu ANSWERS.conllu

The iteration is that with the best accuracy on DEV. Nothing else is imported here, so that nothing else is measured.
"""

import sys
from typing import Iterator

from ufal.udpipe import (
    InputFormat,
    Model,
    OutputFormat,
    ProcessingError,
    Sentence,
    Sentences,
    Trainer,
)

METHOD = "morphodita_parsito"
NO_PART, DEFAULT_SETTINGS = "none", ""


def main(task: str, *paths: str) -> None:
    {"fit": fit, "predict": predict}[task](*paths)


def fit(labeled: str, dev: str, model: str) -> None:
    error = ProcessingError()
    parts = [NO_PART, DEFAULT_SETTINGS, NO_PART]
    data = [Sentences(list(read(labeled))), Sentences(list(read(dev)))]
    trained = Trainer.train(METHOD, *data, *parts, error)
    refuse(error)
    with open(model, "wb") as file:
        file.write(trained)


def predict(model: str, questions: str, answers: str) -> None:
    tagger = Model.load(model)
    if tagger is None:
        sys.exit(f"{model} is no model of UDPipe.")
    output = OutputFormat.newOutputFormat("conllu")
    error = ProcessingError()
    with open(answers, "w", encoding="utf-8") as file:
        for sentence in read(questions):
            tagger.tag(sentence, DEFAULT_SETTINGS, error)
            refuse(error)
            file.write(output.writeSentence(sentence))


def read(path: str) -> Iterator[Sentence]:
    source = InputFormat.newInputFormat("conllu")
    with open(path, encoding="utf-8") as file:
        source.setText(file.read())
    error = ProcessingError()
    while source.nextSentence(sentence := Sentence(), error):
        yield sentence
    refuse(error)


def refuse(error: ProcessingError) -> None:
    if error.occurred():
        sys.exit(error.message)


if __name__ == "__main__":
    main(*sys.argv[1:])
