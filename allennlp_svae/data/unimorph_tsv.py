"""UniMorph's files: lemma, form and features, separated by tabs."""

from typing import Iterable, Iterator, List, NamedTuple, Optional, TextIO, Union

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token, Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.text_file import Line, read_lines

_COLUMNS = "lemma, form and features (`weep<TAB>wept<TAB>V;PST`)"
_ASKED = "lemma and features (`weep<TAB>V;PST`), with the form between them or without"


class Inflection(NamedTuple):
    """A lemma and a tag with their form, or without: one that is asked for."""

    lemma: str
    form: Optional[str]
    tag: MorphTag


def read_inflections(path: str, allow_missing_form: bool = False) -> Iterator[Inflection]:
    """
    The lines of a UniMorph file, one at a time; blank lines are passed over.

    # Parameters

    path : `str`
        The file.
    allow_missing_form : `bool`, optional (default = `False`)
        Whether the form may be empty (`weep<TAB><TAB>V;PST`) or absent (`weep<TAB>V;PST`).

    # Raises

    `DataError` where a line has other columns, features are malformed, or the file has no line.
    """
    for line in read_entries(path):
        yield parse_inflection(line, path, allow_missing_form)


def read_entries(path: str) -> Iterator[Line]:
    """The lines of a UniMorph file that are not blank, as they are written."""
    empty = True
    for line in read_lines(path):
        if line.text.strip():
            yield line
            empty = False
    if empty:
        raise DataError("The file holds no inflection.", path, remedy=f"write {_COLUMNS}.")


def parse_inflection(line: Line, path: str, allow_missing_form: bool = False) -> Inflection:
    """One line of a UniMorph file; see `read_inflections`."""
    lemma, form, features = _columns(line, path, allow_missing_form)
    try:
        tag = MorphTag.parse(features)
    except ValueError as error:
        remedy = "mend the features, in the last column."
        raise DataError(str(error), path, line.number, remedy) from None
    return Inflection(lemma, form or None, tag)


def _columns(line: Line, path: str, allow_missing_form: bool) -> List[str]:
    count, expected = ("2 or 3", _ASKED) if allow_missing_form else ("3", _COLUMNS)
    columns = line.text.split("\t")
    if len(columns) == 2 and allow_missing_form:
        columns.insert(1, "")
    if len(columns) != 3:
        problem = f"The line has {len(columns)} tab-separated columns, not {count}."
    elif not columns[0]:
        problem = "The lemma is empty."
    elif not (columns[1] or allow_missing_form):
        problem = "The form is empty."
    else:
        return columns
    raise DataError(problem, path, line.number, f"write {expected}.")


def entry_sentence(line: Line, path: str) -> Sentence:
    """A line of a UniMorph file as a sentence of one word."""
    lemma, form, tag = parse_inflection(line, path)
    return Sentence((Token(form or "", lemma, tag),))


def raw_entry_sentence(line: Line, path: str) -> Sentence:
    """The form alone as a sentence of one word; the lemma and the features are not looked at."""
    return Sentence((Token(_columns(line, path, allow_missing_form=False)[1]),))


def write_inflections(
    target: Union[str, TextIO], inflections: Iterable[Union[Inflection, Triple]]
) -> None:
    """
    Writes inflections as UniMorph's columns; a form that is not known stays empty.

    # Raises

    `DataError` where a lemma or form holds a tab or a line break.
    """
    if isinstance(target, str):
        with open(target, "w", encoding="utf-8", newline="\n") as file:
            write_inflections(file, inflections)
        return
    for inflection in inflections:
        line = inflection_line(inflection.lemma, inflection.form or "", str(inflection.tag))
        target.write(f"{line}\n")


def inflection_line(lemma: str, form: str, tag: str) -> str:
    """
    A line of a UniMorph file, without its end.

    # Raises

    `DataError` where the lemma or the form holds a tab or a line break.
    """
    if any(character in lemma + form for character in "\t\n\r"):
        raise DataError(
            f"A UniMorph file cannot hold {lemma!r} and {form!r}.",
            remedy="replace tabs and line breaks.",
        )
    return f"{lemma}\t{form}\t{tag}"
