"""A model with caches, which is given a whole text and reads only what is new in it."""

import torch

from attnbook.checks import at_least


class CachedModel:
    """A model and the caches of its layers, which reads of a text what it has not read yet.

    `model(tokens, caches)` returns the logits of the token after each of the new ones, of shape
    (n, vocabulary). They become probabilities at a `temperature`; at 0, where all belongs to the
    largest, what is drawn is greedy. Raises ValueError if the temperature is negative.
    """

    def __init__(self, model, caches, temperature: float = 1.0):
        at_least(0, temperature=temperature)
        self.model, self.caches, self.temperature = model, caches, temperature

    def distributions(self, text, last):
        """Those of the token after each of the `last` ones, (last, vocabulary), in one pass."""
        logits = self.model(text[self.caches[0].length :], self.caches)[-last:]
        if self.temperature == 0:
            return torch.zeros_like(logits).scatter(-1, logits.argmax(-1, keepdim=True), 1.0)
        return torch.softmax(logits / self.temperature, dim=-1)

    def rewind(self, length):
        """Forget all tokens but the first `length`."""
        for cache in self.caches:
            cache.rewind(min(length, cache.length))
