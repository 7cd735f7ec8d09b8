"""Call a function of a tensor and a number with an array and that number, as the checks do."""

import functools

from attnbook.exercises.engine.tensors import on_tensors


def first_as_tensor(function):
    """For `through`: the function, whose first argument alone becomes a tensor."""

    @functools.wraps(function)
    def call(array, number):
        return on_tensors(lambda tensor: function(tensor, number))(array)

    return call
