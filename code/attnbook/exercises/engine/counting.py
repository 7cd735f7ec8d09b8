"""Hand a reader's function what it is to call, and count what it does with that."""

import functools

from attnbook.exercises.engine.compare import with_counts


def counted(function, number=lambda *given, **named: 1):
    """The function, whose `count` is that of its calls, or the sum of a `number` of each."""

    @functools.wraps(function)
    def call(*given, **named):
        result = function(*given, **named)
        call.count += number(*given, **named)
        return result

    call.count = 0
    return call


def counting_calls(piece, results):
    """For `through`: a function that is handed `piece`, and behind its results the calls of that.

    Of results it has this number.
    """

    def through(function):
        @functools.wraps(function)
        def call(*arguments):
            handed = counted(piece)
            return with_counts(function(*arguments, handed), results, handed.count)

        return call

    return through
