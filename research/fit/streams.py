"""Mechanisms that the machine has no key for: the events of a cell counted again from the addresses of its local moves.

A move within a node is a load and a store. Its addresses follow from the layout: the source, then the destinations, back
to back from memory.heap_base_words on; a shift along an axis moves rows of consecutive words. Each function below counts
what one mechanism changes, as differences from the simulator's counts.
"""

from functools import lru_cache

import numpy as np

SLICES = 2  # of REAL*8


def shifts(rank, length, first, one_destination=False):
    """(addresses of loads, of stores, rows) of each shift: by 1 and -1 along every axis."""
    words = SLICES * length ** rank
    for shift in range(2 * rank):
        stride = SLICES * length ** (shift // 2)
        rows = words // (stride * length)
        at = (np.arange(rows)[:, None] * stride * length + np.arange(stride * (length - 1))).ravel() + first
        place = words * (1 if one_destination else shift + 1)
        source, target = (at + stride, at) if shift % 2 == 0 else (at, at + stride)
        yield source, target + place, rows


def by_turns(*streams):
    """One address of each stream after the other."""
    return np.stack(streams, axis=1).ravel()


def batches(loads, stores, size):
    """So many loads, then as many stores."""
    whole = len(loads) // size * size
    head = np.stack([loads[:whole].reshape(-1, size), stores[:whole].reshape(-1, size)], axis=1).ravel()
    return np.concatenate([head, by_turns(loads[whole:], stores[whole:])])


def page_faults(stream, numbers):
    """Accesses that leave the open page; the first always does."""
    return 1 + np.count_nonzero(np.diff(stream // numbers["memory.page_words"]))


def conflicts(stream, numbers, banks=None):
    """The rule of sim/machine/clock.c: another page of the same bank, and another block of the page. With `banks`, as many words
    lie in fewer banks of larger pages."""
    page, block = numbers["memory.page_words"], numbers["memory.block_words"]
    banks = banks or numbers["memory.banks"]
    page = page * numbers["memory.banks"] // banks
    pages, blocks = stream // page, stream % page // min(block, page)
    return np.count_nonzero((np.diff(pages) != 0) & (np.diff(pages % banks) == 0) & (np.diff(blocks) != 0))


def events(streams, numbers, banks=None):
    return {"load": sum(len(s) for s in streams), "load_page_fault": sum(page_faults(s, numbers) for s in streams),
            "bank_conflict": sum(conflicts(s, numbers, banks) for s in streams)}


def plain(cell, numbers):
    return [by_turns(loads, stores) for loads, stores, _ in shifts(*cell[:2], numbers["memory.heap_base_words"])]


def row_per_bank(cell, numbers, *_):
    """Every bank keeps the page that it had open."""
    found = 0
    for stream in plain(cell, numbers):
        pages = stream // numbers["memory.page_words"]
        bank = pages % numbers["memory.banks"]
        found += sum(1 + np.count_nonzero(np.diff(pages[bank == b])) for b in np.unique(bank))
    counted = events(plain(cell, numbers), numbers)
    return dict(counted, load_page_fault=found, bank_conflict=0)


def in_batches(cell, numbers, size, _):
    """So many words loaded into registers, then stored."""
    return events([batches(loads, stores, size) for loads, stores, _ in
                   shifts(*cell[:2], numbers["memory.heap_base_words"])], numbers)


def one_load(cell, numbers, *_):
    """PSHIFT loads a word once for both shifts of an axis, and stores it twice; the words at the ends are left to one."""
    if cell[2] != "PSHIFT":
        return events(plain(cell, numbers), numbers)
    every = list(shifts(*cell[:2], numbers["memory.heap_base_words"]))
    streams = []
    for (up, to_up, _), (down, to_down, _) in zip(every[::2], every[1::2]):
        both, i, j = np.intersect1d(up, down, assume_unique=True, return_indices=True)
        streams.append(by_turns(both, to_up[i], to_down[j]))
        for loads, stores, taken in ((up, to_up, i), (down, to_down, j)):
            left = np.setdiff1d(np.arange(len(loads)), taken, assume_unique=True)
            streams.append(by_turns(loads[left], stores[left]))
    return events([s for s in streams if len(s)], numbers)


def one_destination(cell, numbers, *_):
    """All CSHIFTs of a row store into the same array."""
    if cell[2] != "CSHIFT":
        return events(plain(cell, numbers), numbers)
    return events([by_turns(loads, stores) for loads, stores, _ in
                   shifts(*cell[:2], numbers["memory.heap_base_words"], True)], numbers)


def library_banks(cell, numbers, banks, _):
    """The run-time library's mover meets so many banks, of larger pages."""
    return events(plain(cell, numbers), numbers, banks if cell[2] == "CSHIFT" else None)


def library_banks_one_destination(cell, numbers, banks, _):
    """Both."""
    if cell[2] != "CSHIFT":
        return events(plain(cell, numbers), numbers)
    return events([by_turns(loads, stores) for loads, stores, _ in
                   shifts(*cell[:2], numbers["memory.heap_base_words"], True)], numbers, banks)


def hidden_loads(cell, numbers, _, causes):
    """The loads of an exchange are made while the one before is under way: all but those of the first, so that of each
    transfer only the unload is left."""
    exchanges, transfers = causes.get("exchange", 1), causes.get("indirect", 0)
    found = events(plain(cell, numbers), numbers)
    left = transfers * (1 - 1 / exchanges)
    for cause in ("load", "load_page_fault"):  # the table's word and the slice
        found[cause] -= 2 * left
    return dict(found, indirect=-left / 2)


def hidden_steps(cell, numbers, _, causes):
    """Loop ends and addresses of exchanges cost nothing; those of rows stay: an end and two addresses for each."""
    rows = sum(rows if rows > 1 else 0 for _, _, rows in shifts(*cell[:2], numbers["memory.heap_base_words"]))
    found = events(plain(cell, numbers), numbers)
    return dict(found, loop=min(rows - causes.get("loop", 0), 0), address=min(2 * rows - causes.get("address", 0), 0))


RECOUNTS = {f.__name__: f for f in (row_per_bank, in_batches, one_load, one_destination, library_banks,
                                    library_banks_one_destination, hidden_loads, hidden_steps)}


@lru_cache(maxsize=None)
def difference(name, cell, numbers, size, causes):
    """What a mechanism changes of a cell (rank, length, routine), by cause; numbers and causes as tuples of items."""
    numbers = dict(numbers)
    before = events(plain(cell, numbers), numbers)
    after = RECOUNTS[name](cell, numbers, size, dict(causes))
    return {cause: count - before.get(cause, 0) for cause, count in after.items()}
