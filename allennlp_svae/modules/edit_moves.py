"""The actions of `data/edit_actions.py` as numbers, whole derivations as tensors, and which actions may come next."""

from typing import List, NamedTuple, Sequence

import torch
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Vocabulary

from allennlp_svae.data.edit_actions import COPY, DELETE, Actions, apply_actions


class Steps(NamedTuple):
    """Of several derivations, each step up to the end; all of shape `(num_derivations, steps)`."""

    targets: torch.Tensor  # the action, START on padding
    previous: torch.Tensor  # the action before, at first START
    pointers: torch.Tensor  # the place of the pointer in the lemma, whose first character is at 1
    insertions: torch.Tensor  # how many characters have been inserted


class ActionNumbers(NamedTuple):
    """Inserting a character has its id in the vocabulary, ending that of END; copying and deleting come after them."""

    copy: int
    delete: int
    how_many: int


def action_numbers(vocab: Vocabulary, namespace: str) -> ActionNumbers:
    symbols = vocab.get_vocab_size(namespace)
    return ActionNumbers(symbols, symbols + 1, symbols + 2)


class EditMoves(torch.nn.Module):
    """
    # Parameters

    vocab : `Vocabulary`
    namespace : `str`
        Of characters.
    max_insertions : `int`
        A form that needs more has no derivation.

    # Attributes

    start, end, copy, delete, num_actions, max_insertions : `int`
    """

    def __init__(self, vocab: Vocabulary, namespace: str, max_insertions: int) -> None:
        super().__init__()
        self._vocab = vocab
        self._namespace = namespace
        self.max_insertions = max_insertions
        self.start = vocab.get_token_index(START_SYMBOL, namespace)
        self.end = vocab.get_token_index(END_SYMBOL, namespace)
        self.copy, self.delete, self.num_actions = action_numbers(vocab, namespace)
        never = torch.zeros(self.num_actions, dtype=torch.bool)
        for symbol in (vocab._padding_token, vocab._oov_token, START_SYMBOL):
            never[vocab.get_token_index(symbol, namespace)] = True
        self.register_buffer("_never", never, persistent=False)
        insertions = ~never
        insertions[[self.end, self.copy, self.delete]] = False
        self.register_buffer("_insertions", insertions, persistent=False)

    def steps(self, derivations: Sequence[Actions]) -> Steps:
        """Those of each derivation, the end among them."""
        length = max(map(len, derivations)) + 1
        ids: List[List[int]] = []
        pointers: List[List[int]] = []
        insertions: List[List[int]] = []
        for derivation in derivations:
            row = [*map(self._number, derivation), self.end]
            places, inserted = [1], [0]
            for action in row[:-1]:
                moves = action in (self.copy, self.delete)
                places.append(places[-1] + moves)
                inserted.append(inserted[-1] + (not moves))
            padding = length - len(row)
            ids.append(row + [self.start] * padding)
            pointers.append(places + [places[-1]] * padding)
            insertions.append(inserted + [0] * padding)
        device = self._never.device
        targets = torch.tensor(ids, device=device)
        return Steps(
            targets=targets,
            previous=torch.cat([torch.full_like(targets[:, :1], self.start), targets[:, :-1]], 1),
            pointers=torch.tensor(pointers, device=device),
            insertions=torch.tensor(insertions, device=device),
        )

    def written(self, numbers: List[int], lemma: str) -> str:
        """What actions write, up to the first end."""
        length = numbers.index(self.end) if self.end in numbers else len(numbers)
        return apply_actions([self._action(number) for number in numbers[:length]], lemma)

    def moves_pointer(self, actions: torch.Tensor) -> torch.Tensor:
        """Whether each of them copies or deletes."""
        return (actions == self.copy) | (actions == self.delete)

    def inserts(self, actions: torch.Tensor) -> torch.Tensor:
        """Whether each of them, which may have been START, writes a character that is not the lemma's."""
        return self._insertions[actions]

    def forbidden(
        self,
        previous: torch.Tensor,
        insertions: torch.Tensor,
        current: torch.Tensor,
        at_end: torch.Tensor,
    ) -> torch.Tensor:
        """
        Which actions may not come next, shape `(..., num_actions)`.

        # Parameters

        previous, insertions, current, at_end : `torch.Tensor`
            The action before, how many insertions there were, the character at the pointer, and whether that is END;
            shape `(...)`.
        """
        forbidden = self._never.expand(*previous.shape, -1).clone()
        no_insertion = (previous == self.delete) | (insertions >= self.max_insertions)
        forbidden |= no_insertion.unsqueeze(-1) & self._insertions
        # At the end the character at the pointer is END, which is not to be forbidden.
        current = current.masked_fill(at_end, self.start)
        forbidden.scatter_(-1, current.unsqueeze(-1), True)
        forbidden[..., self.end] = ~at_end
        forbidden[..., self.copy] = at_end
        forbidden[..., self.delete] = at_end
        return forbidden

    def _number(self, action: str) -> int:
        if action == COPY:
            return self.copy
        if action == DELETE:
            return self.delete
        return self._vocab.get_token_index(action, self._namespace)

    def _action(self, number: int) -> str:
        if number == self.copy:
            return COPY
        if number == self.delete:
            return DELETE
        return self._vocab.get_token_from_index(number, self._namespace)
