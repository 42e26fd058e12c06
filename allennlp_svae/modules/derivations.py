"""
The casings and derivations of a batch of lemmas and tags as a distribution, which one network or several make together:
scores, beam search and whatever goes one way.
"""

from typing import Callable, List, NamedTuple, Sequence, Tuple

import torch
from allennlp.data import TextFieldTensors
from allennlp.nn.beam_search import BeamSearch, StateType
from allennlp.nn.util import get_text_field_mask, get_token_ids_from_text_field_tensors

from allennlp_svae.modules.edit_decoder import Prepared
from allennlp_svae.modules.edit_moves import EditMoves, Steps
from allennlp_svae.modules.edit_network import EditNetwork, Encoded


class Derivations(NamedTuple):
    """
    p(c | m) and p(a | ℓ, m), the scores of several networks averaged for casings and for each action; see
    `EditTransducer`.
    """

    moves: EditMoves
    characters: torch.Tensor  # (batch_size, lemma_length + 2), ids
    end: torch.Tensor  # (batch_size,), the place after the lemma's last character
    encoded: List[Tuple[EditNetwork, Encoded]]  # by each network that is asked

    @classmethod
    def of(
        cls,
        moves: EditMoves,
        networks: Sequence[EditNetwork],
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
    ) -> "Derivations":
        return cls(
            moves=moves,
            characters=get_token_ids_from_text_field_tensors(lemma),
            end=get_text_field_mask(lemma).sum(dim=1) - 1,
            encoded=[(network, network.encode(lemma, tag)) for network in networks],
        )

    def rows(self, index: torch.Tensor) -> "Derivations":
        return self._replace(
            characters=self.characters.index_select(0, index),
            end=self.end.index_select(0, index),
            encoded=[(network, encoded.rows(index)) for network, encoded in self.encoded],
        )

    def of_each(self) -> List["Derivations"]:
        """What each of the networks makes by itself."""
        return [self._replace(encoded=[one]) for one in self.encoded]

    # Scores

    def casing_log_probs(self) -> torch.Tensor:
        """Shape `(batch_size, 2)`; of lemmas whose forms have a casing to choose."""
        scores = [network.casing_scores(encoded) for network, encoded in self.encoded]
        return torch.log_softmax(mean(scores), dim=-1)

    def step_log_probs(self, steps: Steps) -> torch.Tensor:
        """log p of each action and of the end, zero on padding; shape `(batch_size, steps)`."""
        log_probs = self.action_log_probs(steps)
        chosen = log_probs.gather(2, steps.targets.unsqueeze(2)).squeeze(2)
        return chosen.masked_fill(steps.targets == self.moves.start, 0.0)

    def action_log_probs(self, steps: Steps) -> torch.Tensor:
        """The log-distribution of the action of each step; shape `(batch_size, steps, num_actions)`."""
        scores = [network.action_scores(encoded, steps) for network, encoded in self.encoded]
        current = self.characters.gather(1, steps.pointers)
        at_end = steps.pointers >= self.end.unsqueeze(1)
        return self._log_probs(mean(scores), steps.previous, steps.insertions, current, at_end)

    def _log_probs(
        self,
        scores: torch.Tensor,
        previous: torch.Tensor,
        insertions: torch.Tensor,
        current: torch.Tensor,
        at_end: torch.Tensor,
    ) -> torch.Tensor:
        """
        The log-distribution of the next action, shape `(..., num_actions)`, from its scores, the action before, how
        many insertions there were, the character at the pointer and whether that is END.
        """
        forbidden = self.moves.forbidden(previous, insertions, current, at_end)
        return torch.log_softmax(scores.masked_fill(forbidden, -torch.inf), dim=-1)

    # Decoding

    def beam(self, width: int) -> Tuple[torch.Tensor, torch.Tensor]:
        """Actions, shape `(batch_size, width, steps)`, and log p of each path, shape `(batch_size, width)`."""
        search = BeamSearch(
            end_index=self.moves.end,
            max_steps=int(self.end.max()) + self.moves.max_insertions,
            beam_size=min(width, self.moves.num_actions),
        )
        prepared = self._prepare()

        def advance(
            actions: torch.Tensor, state: StateType, time_step: int
        ) -> Tuple[torch.Tensor, StateType]:
            # More than half of a beam has ended before its last path does; the search does not look at what follows.
            going = (actions != self.moves.end).nonzero().squeeze(1)
            rest = {name: value.index_select(0, going) for name, value in state.items()}
            log_probs, rest = self._advance(prepared, actions[going], rest)
            everything = log_probs.new_zeros(len(actions), log_probs.size(1))
            return everything.index_copy(0, going, log_probs), {
                name: value.index_copy(0, going, rest[name]) for name, value in state.items()
            }

        return search.search(self._starts(), self._initial_state(), advance)

    def one_path(
        self, choose: Callable[[torch.Tensor], torch.Tensor]
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        From the log-distributions of the next action, shape `(group_size, num_actions)`, `choose` gives the next
        actions. Returns all, shape `(batch_size, steps)`, and log p of each path. What has ended is dropped, since
        short words end long before the longest.
        """
        prepared = self._prepare()
        state = self._initial_state()
        actions = self._starts()
        scores = state["recurrent_0"].new_zeros(len(actions))
        path: List[torch.Tensor] = []
        while len(actions):
            log_probs, state = self._advance(prepared, actions, state)
            actions = choose(log_probs)
            rows = state["row"]
            scores[rows] += log_probs.gather(1, actions.unsqueeze(1)).squeeze(1)
            path.append(torch.full_like(self.end, self.moves.end).scatter(0, rows, actions))
            going = (actions != self.moves.end).nonzero().squeeze(1)
            if len(going) < len(actions):
                actions = actions[going]
                state = {name: value.index_select(0, going) for name, value in state.items()}
        return torch.stack(path, dim=1), scores

    def _starts(self) -> torch.Tensor:
        return torch.full_like(self.end, self.moves.start)

    def _prepare(self) -> List[Prepared]:
        return [network.prepare(encoded) for network, encoded in self.encoded]

    def _initial_state(self) -> StateType:
        rows = torch.arange(self.end.size(0), device=self.end.device)
        return {
            "row": rows,
            "pointer": torch.ones_like(rows),
            "insertions": torch.zeros_like(rows),
            **{
                f"recurrent_{number}": network.initial_state(rows.size(0))
                for number, (network, _) in enumerate(self.encoded)
            },
        }

    def _advance(
        self, prepared: List[Prepared], actions: torch.Tensor, state: StateType
    ) -> Tuple[torch.Tensor, StateType]:
        """The log-distribution after one more action, and the state. All shapes begin with `(group_size,)`."""
        rows = state["row"]
        ends = self.end[rows]
        pointers = torch.minimum(state["pointer"] + self.moves.moves_pointer(actions), ends)
        insertions = state["insertions"] + self.moves.inserts(actions)
        following = {"row": rows, "pointer": pointers, "insertions": insertions}
        scores: List[torch.Tensor] = []
        for number, (network, _) in enumerate(self.encoded):
            name = f"recurrent_{number}"
            of_network, following[name] = network.step(
                prepared[number], rows, actions, pointers, state[name]
            )
            scores.append(of_network)
        current = self.characters[rows, pointers]
        log_probs = self._log_probs(mean(scores), actions, insertions, current, pointers >= ends)
        return log_probs, following


def mean(tensors: List[torch.Tensor]) -> torch.Tensor:
    """What they are on average, element by element."""
    return tensors[0] if len(tensors) == 1 else torch.stack(tensors).mean(dim=0)
