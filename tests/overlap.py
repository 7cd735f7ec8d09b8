"""What of a turn of a loop is done while a product runs: what stands between its waits for one."""


def between_waits(loop, kind="exponentials"):
    """How many instructions of a kind stand before the first wait of a `Loop`, and behind each."""
    found = [0]
    for one in loop.instructions:
        if one.name.startswith("WARPGROUP.DEPBAR"):
            found.append(0)
        found[-1] += one.kind == kind
    return found
