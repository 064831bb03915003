"""The frozen list of mechanisms that the published times may choose from, and what was chosen by them.

A mechanism is one entry of MECHANISMS: a name, the machine settings that it needs, the sizes that are searched, and the
costs that are fitted. Nothing else in scripts/ names a mechanism. The list only grows: an entry that did not win stays, so
that its length says how much was tried. The choice among the entries is made inside the nest of --cross-validate.

To add one: give its name, its settings as for --set, and its costs. A cost is a name, the machine keys that hold it, and
the causes of cycles that count its events (sim/machine/cause.def). All keys of a cost have the same value, except that a key with
a share takes that part of it. With `routine` its events count in the cells of that routine alone; a machine has no such
key, so an entry of that kind can be compared, but not shipped.

All entries change one machine, configs/cm200-first-fit.json, whatever the shipped machine has become. When another entry
is shipped, name it in SHIPPED, and give configs/cm200.json its settings, sizes and costs.

A mechanism that no key expresses names a function of research/fit/streams.py in `recount`, which counts the local moves again
from their addresses; the size "recount" is its argument. It can be compared, but not shipped.

Two rules. Times are linear in the costs: a setting that lets work overlap must be structural, so that the simulator counts
what is left of it. A setting whose key holds a cost gives its value; every other setting is structural: it changes counts.
"""

from collections import namedtuple

Cost = namedtuple("Cost", "name keys causes routine shares", defaults=(None, None))
Mechanism = namedtuple("Mechanism", "name settings sizes costs choices recount", defaults=((), (), (), 0, None))

START = Cost("start", ("front_end.imp_start_cycles",), ("start",))
CALL = Cost("call", ("front_end.runtime_call_cycles",), ("runtime_call",))
EXCHANGE = Cost("exchange", ("exchange.cycles",), ("exchange",))
TRANSFER = Cost("transfer", ("transposer.indirect_load_cycles", "transposer.indirect_unload_cycles"), ("indirect",),
                None, (0.5, 0.5))
CONTROL = Cost("control", ("sequencer.loop_iteration_cycles", "sequencer.address_cycles"), ("loop", "address"))
CONFLICT = Cost("conflict", ("memory.bank_conflict_cycles",), ("bank_conflict",))
LOOP = Cost("loop end", ("sequencer.loop_iteration_cycles",), ("loop",))
ADDRESS = Cost("address", ("sequencer.address_cycles",), ("address",))
LOAD_FAULT = Cost("load across pages", ("memory.load_page_fault_cycles",), ("load_page_fault",))
STORE_FAULT = Cost("store across pages", ("memory.store_page_fault_cycles",), ("store_page_fault",))
STORE = Cost("store", ("memory.store_cycles",), ("store",))

# Costs that a mechanism may leave as the machine has them.
KNOWN = (Cost("load", ("memory.load_cycles",), ("load",)), LOAD_FAULT, STORE, STORE_FAULT, START, CALL, EXCHANGE, TRANSFER,
         LOOP, ADDRESS, CONFLICT)

PARTS = (START, EXCHANGE, TRANSFER)
SIX = PARTS + (CONFLICT, CONTROL, CALL)  # in the order in which a cost gives way when the cells can't tell it

# Sizes that are searched. A negative first array begins so many words before the end of a page.
PAGES = ("memory.page_words", (256, 512, 1024, 4096))
BANKS = ("memory.banks", (4, 8, 16, 32))
BLOCKS = ("memory.block_words", (64, 128, 256, 512))
FIRST = ("memory.heap_base_words", (-576, -416, -336, 0))
GRID = (PAGES, BANKS, BLOCKS, FIRST)  # 256 memories
FEW = (("memory.banks", (4, 8, 16)), ("memory.block_words", (64, 128, 256)))  # for what is counted again
PLACED = ("memory.page_words=512", "memory.heap_base_words=176")  # as all cells chose them
ONE_BLOCK = "memory.block_words=1073741824"  # blocks as large as all memory: no conflicts

# Of the numbers that are neither costs nor searched sizes, four were chosen by the same tables (CHOICES); `choices` says how
# many of them an entry takes.
MECHANISMS = (
    Mechanism("banks and blocks", (), GRID, SIX, 4),
    Mechanism("no cost of control", ("sequencer.loop_iteration_cycles=0", "sequencer.address_cycles=0"), GRID,
              PARTS + (CONFLICT, CALL), 4),
    Mechanism("pages alone", (ONE_BLOCK,), (PAGES, FIRST), PARTS + (CONTROL, CALL), 4),
    Mechanism("pages, no cost of control",
              (ONE_BLOCK, "sequencer.loop_iteration_cycles=0", "sequencer.address_cycles=0"), (PAGES, FIRST),
              PARTS + (CALL,), 4),
    Mechanism("pages and refresh", (ONE_BLOCK, "memory.refresh_cycles=2"),
              (PAGES, FIRST, ("memory.refresh_interval_cycles", (64, 128, 256))), PARTS + (CONTROL, CALL), 4),
    Mechanism("banks, blocks and refresh", ("memory.refresh_cycles=2",),
              GRID + (("memory.refresh_interval_cycles", (128, 256)),), SIX, 4),
    Mechanism("one bank with blocks", ("memory.banks=1",), (PAGES, BLOCKS, FIRST), SIX, 4),
    Mechanism("pages of 4,096 words (P 2.3 to the letter)", (ONE_BLOCK, "memory.page_words=4096"), (FIRST,),
              PARTS + (CONTROL, CALL), 4),
    Mechanism("stores of two cycles (P 2.3 to the letter)", ("memory.store_cycles=2", "memory.store_page_fault_cycles=0"),
              GRID, SIX, 2),
    Mechanism("a store across pages is free", ("memory.store_page_fault_cycles=0",), GRID, SIX, 4),
    Mechanism("costs of page faults fitted", (), GRID, PARTS + (LOAD_FAULT, STORE_FAULT, CONFLICT, CONTROL, CALL), 3),
    Mechanism("cost of a store fitted", (), GRID, PARTS + (STORE, STORE_FAULT, CONFLICT, CONTROL, CALL), 2),
    Mechanism("arrays at multiples of 512 words", ("memory.heap_base_words=0", "memory.heap_alignment_words=512"),
              (PAGES, BANKS, BLOCKS), SIX, 4),
    Mechanism("SRAM for unrolling every row", ("sequencer.sram_words=1048576",), GRID, SIX, 4),
    Mechanism("loop ends and addresses apart", (), GRID, PARTS + (CONFLICT, LOOP, ADDRESS, CALL), 4),
    Mechanism("CSHIFT has its own exchange", (), GRID,
              PARTS + (CONFLICT, CONTROL, CALL, Cost("exchange of CSHIFT", (), ("exchange",), "CSHIFT")), 4),
    Mechanism("CSHIFT has its own transfer", (), GRID,
              PARTS + (CONFLICT, CONTROL, CALL, Cost("transfer of CSHIFT", (), ("indirect",), "CSHIFT")), 4),
    Mechanism("CSHIFT has its own conflict", (), GRID,
              PARTS + (CONFLICT, CONTROL, CALL, Cost("conflict of CSHIFT", (), ("bank_conflict",), "CSHIFT")), 4),
    Mechanism("a row open in every bank", PLACED, FEW[:1], PARTS + (CONTROL, CALL), 6, "row_per_bank"),
    Mechanism("batches of loads, then of stores", PLACED, FEW + (("recount", (2, 4, 8)),), SIX, 6, "in_batches"),
    Mechanism("one load for both shifts of an axis", PLACED, FEW, SIX, 6, "one_load"),
    Mechanism("loads hidden behind exchanges", PLACED, FEW, SIX, 6, "hidden_loads"),
    Mechanism("address steps of exchanges hidden", PLACED, FEW, SIX, 6, "hidden_steps"),
    Mechanism("all CSHIFTs of a row have one destination", PLACED, FEW, SIX, 6, "one_destination"),
    Mechanism("fewer banks for the library's mover", PLACED, FEW + (("recount", (1, 2, 4)),), SIX, 6, "library_banks"),
    Mechanism("the same, and one destination", PLACED, FEW + (("recount", (1, 2, 4)),), SIX, 6,
              "library_banks_one_destination"),
)

SHIPPED = next(mechanism for mechanism in MECHANISMS if mechanism.name == "banks and blocks")

# Every choice that the 54 CM times made for configs/cm200.json: its keys. Two more were made by the elapsed times.
CHOICES = tuple((cost.name, cost.keys) for cost in SHIPPED.costs) + (
    ("page", ("memory.page_words",)),
    ("banks", ("memory.banks",)),
    ("block", ("memory.block_words",)),
    ("first array", ("memory.heap_base_words",)),
    ("store within a page", ("memory.store_cycles",)),
    ("store across pages", ("memory.store_page_fault_cycles",)),
    ("arrays back to back", ("memory.heap_alignment_words",)),
    ("no refresh", ("memory.refresh_interval_cycles", "memory.refresh_cycles")),
)
ELAPSED_CHOICES = (("front end, a shift of PSHIFT", ("front_end.pshift_us",)),
                   ("front end, a call of CSHIFT", ("front_end.runtime_call_us",)))
