"""CoNLL-U files: reading sentences out of them, putting annotation into them, writing new ones."""

from typing import (
    Any,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    TextIO,
    Tuple,
    Union,
)

from conllu import TokenList
from conllu.exceptions import ParseException
from conllu.models import Metadata
from conllu.models import Token as Row
from conllu.parser import DEFAULT_FIELDS, parse_comment_line, parse_id_value

from allennlp_svae.data.conllu_columns import (
    NOTHING,
    annotation_of,
    lemma_of,
    merge_misc,
    tag_of,
    writable,
)
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.text_file import Line, read_lines


class SentenceBlock(TokenList):
    """
    A sentence of a CoNLL-U file as the `conllu` package sees it, with its columns and comments as
    they are written: serialized, it is the text that was read.

    # Parameters

    rows : `List[conllu.models.Token]`
        One for each line: multiword ranges and empty nodes too. All columns but ID are text.
    lines : `List[int]`
        The line of the file that each row stands on.
    comments : `List[str]`
        The comment lines.
    path : `str`
        The file.
    """

    def __init__(
        self, rows: List[Row], lines: List[int], comments: List[str], path: Optional[str] = None
    ) -> None:
        metadata = Metadata(pair for comment in comments for pair in parse_comment_line(comment))
        super().__init__(rows, metadata, DEFAULT_FIELDS)
        self.lines = lines
        self.comments = comments
        self.path = path

    def serialize(self) -> str:
        rows = TokenList(list(self), default_fields=DEFAULT_FIELDS).serialize()
        return "".join(f"{comment}\n" for comment in self.comments) + rows


def read_blocks(path: str) -> Iterator[SentenceBlock]:
    """
    The sentences of a CoNLL-U file, one at a time. Of the annotation nothing is interpreted.

    # Raises

    `DataError` where a line has not ten columns, an ID is not valid, a form is empty, IDs do not count the words, or
    the file holds no sentence.
    """
    rows: List[Row] = []
    lines: List[int] = []
    comments: List[str] = []
    empty = True
    for line in read_lines(path):
        if line.text.startswith("#"):
            if rows:
                raise DataError(
                    "A comment stands inside a sentence.",
                    path,
                    line.number,
                    "put it before the first word, or end the sentence with a blank line.",
                )
            comments.append(line.text)
        elif line.text.strip():
            row = _row(line, path)
            if not _continues(row["id"], _last_word(rows)):
                raise DataError(
                    f"The ID {_id_text(line)} comes after {_last_word(rows)} words.",
                    path,
                    line.number,
                    "number the words of a sentence 1, 2, 3 and so on, and end it with a blank line.",
                )
            rows.append(row)
            lines.append(line.number)
        elif rows:
            yield _block(rows, lines, comments, path)
            rows, lines, comments, empty = [], [], [], False
    if rows:
        yield _block(rows, lines, comments, path)
    elif empty:
        raise DataError("The file holds no sentence.", path, remedy="check that it is CoNLL-U.")


def _block(rows: List[Row], lines: List[int], comments: List[str], path: str) -> SentenceBlock:
    """Which has words, and whose multiword ranges end within the sentence."""
    words = _last_word(rows)
    for row, line in zip(rows, lines, strict=True):
        if not isinstance(row["id"], int) and row["id"][1] == "-" and row["id"][2] > words:
            raise DataError(
                f"The range {row['id'][0]}-{row['id'][2]} goes beyond the sentence's {words} words.",
                path,
                line,
                "end it at the last word that it stands for.",
            )
    if not words:
        raise DataError(
            "The sentence has no words, only empty nodes.",
            path,
            lines[0],
            "add its words, or remove it.",
        )
    return SentenceBlock(rows, lines, comments, path)


def _last_word(rows: List[Row]) -> int:
    """The number of the last word so far; a range stands before its words."""
    last = rows[-1]["id"] if rows else 0
    return last if isinstance(last, int) else last[0] - (last[1] == "-")


def _continues(id_: Union[int, Tuple[int, str, int]], last_word: int) -> bool:
    if isinstance(id_, int):
        return id_ == last_word + 1
    first, mark, _ = id_
    return first == last_word + (mark == "-")


def to_sentence(block: SentenceBlock, tagset: str = "paper") -> Sentence:
    """
    The syntactic words of a sentence; multiword ranges and empty nodes are left out.

    # Raises

    `DataError` where UPOS or FEATS are malformed.
    """
    return Sentence(
        tuple(
            Token(row["form"], lemma_of(row), tag_of(row, tagset, block.path, line))
            for row, line in zip(block, block.lines, strict=True)
            if isinstance(row["id"], int)
        )
    )


def to_raw_sentence(block: SentenceBlock) -> Sentence:
    """The forms of the syntactic words; the annotation is not looked at."""
    return Sentence(tuple(Token(row["form"]) for row in block if isinstance(row["id"], int)))


def annotate(
    block: SentenceBlock,
    sentence: Sentence,
    tagset: str = "paper",
    misc: Optional[Sequence[Mapping[str, str]]] = None,
) -> SentenceBlock:
    """
    The block with LEMMA, UPOS and FEATS of its words replaced. Comments, multiword ranges, empty
    nodes and the other columns stay as they are.

    # Parameters

    block : `SentenceBlock`
        What was read.
    sentence : `Sentence`
        The same words, annotated.
    tagset : `str`, optional (default = `"paper"`)
        The tagset of the sentence's tags.
    misc : `Sequence[Mapping[str, str]]`, optional (default = `None`)
        For each word, what to add to MISC; an attribute that is there is replaced.
    """
    words = sum(isinstance(row["id"], int) for row in block)
    if words != len(sentence) or (misc is not None and len(misc) != words):
        raise ValueError(f"{words} words cannot take the annotation of {len(sentence)}.")
    rows = [Row(row) for row in block]
    word_rows = [row for row in rows if isinstance(row["id"], int)]
    for position, (row, token) in enumerate(zip(word_rows, sentence.tokens, strict=True)):
        row.update(annotation_of(token, tagset))
        if misc is not None and misc[position]:
            row["misc"] = merge_misc(row["misc"], misc[position])
    return SentenceBlock(rows, block.lines, block.comments, block.path)


def format_sentence(
    sentence: Sentence,
    tagset: str = "paper",
    misc: Optional[Sequence[Mapping[str, str]]] = None,
    sent_id: Optional[str] = None,
) -> str:
    """
    A sentence as ten columns of CoNLL-U with its `# text` and a blank line after it. What the
    sentence does not say is `_`, as is an empty lemma.

    # Parameters

    sentence : `Sentence`
        With annotation, in part or without.
    tagset : `str`, optional (default = `"paper"`)
        The tagset of its tags.
    misc : `Sequence[Mapping[str, str]]`, optional (default = `None`)
        For each word, the attributes in MISC.
    sent_id : `str`, optional (default = `None`)
        The `# sent_id`; none is written if `None`.

    # Raises

    `DataError` where a form or lemma holds a tab or a line break, or a form is empty.
    """
    comments = [] if sent_id is None else [f"# sent_id = {sent_id}"]
    comments.append(f"# text = {' '.join(sentence.forms)}")
    rows = []
    for number, token in enumerate(sentence.tokens, start=1):
        row = Row({**dict.fromkeys(DEFAULT_FIELDS, NOTHING), "id": number})
        row["form"] = writable(token.form)
        row.update(annotation_of(token, tagset))
        if misc is not None and misc[number - 1]:
            row["misc"] = merge_misc(NOTHING, misc[number - 1])
        rows.append(row)
    return SentenceBlock(rows, list(range(1, len(rows) + 1)), comments).serialize()


def write_sentences(
    target: Union[str, TextIO], sentences: Iterable[Sentence], tagset: str = "paper"
) -> None:
    """
    Writes sentences as CoNLL-U, numbering them in `# sent_id`.

    # Parameters

    target : `Union[str, TextIO]`
        A path, or an open file.
    sentences : `Iterable[Sentence]`
        Sentences without words are passed over: CoNLL-U has none.
    tagset : `str`, optional (default = `"paper"`)
        The tagset of their tags.
    """
    if isinstance(target, str):
        with open(target, "w", encoding="utf-8", newline="\n") as file:
            write_sentences(file, sentences, tagset)
        return
    for number, sentence in enumerate(filter(len, sentences), start=1):
        target.write(format_sentence(sentence, tagset, sent_id=str(number)))


def _row(line: Line, path: str) -> Row:
    columns: List[Any] = line.text.split("\t")
    if len(columns) != len(DEFAULT_FIELDS):
        raise DataError(
            f"The line has {len(columns)} tab-separated columns, not {len(DEFAULT_FIELDS)}.",
            path,
            line.number,
            "each word of CoNLL-U has ten columns, a blank line ends a sentence.",
        )
    try:
        columns[0] = parse_id_value(columns[0])
    except ParseException:
        columns[0] = None
    if columns[0] is None:
        raise DataError(
            f"{_id_text(line)!r} is not a valid ID.",
            path,
            line.number,
            "write a number (3), a range (3-4) or an empty node (3.1).",
        )
    if not columns[1]:
        raise DataError("The form is empty.", path, line.number, "write _ for an underscore.")
    return Row(zip(DEFAULT_FIELDS, columns, strict=True))


def _id_text(line: Line) -> str:
    return line.text.split("\t")[0]
