"""The parts of scripts/refit: counts of the simulator, fits of them, and what the fits are worth."""
