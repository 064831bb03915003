"""The parts of scripts/manual: what the help says, manual pages, completion of command lines."""
