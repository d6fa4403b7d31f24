"""The order in which an MCQ's options are shown: seeded, and with key positions balanced."""

import random


def draw(*, options: int, key_index: int, ordinal: int, seed: int) -> list[int]:
    """Return the indices of the options in the order of showing.

    Among any `options` consecutive ordinals that start at a multiple of `options`, the key
    stands once at each place; the distractors are shuffled. The same arguments give the
    same order on every machine.

    Args:
        options: how many options there are, at least 2.
        key_index: index of the answer key, 0 to options - 1.
        ordinal: place of the item among the benchmark's MCQs, from 0.
        seed: the benchmark's order seed.

    Raises ValueError where the arguments do not fit one another.
    """
    if options < 2 or not 0 <= key_index < options or ordinal < 0:
        raise ValueError(f"no order for {options} options, key {key_index}, ordinal {ordinal}")
    block, place = divmod(ordinal, options)
    key_places = list(range(options))
    random.Random(f"{seed}/key/{options}/{block}").shuffle(key_places)
    order = [index for index in range(options) if index != key_index]
    random.Random(f"{seed}/distractors/{options}/{ordinal}").shuffle(order)
    order.insert(key_places[place], key_index)
    return order
