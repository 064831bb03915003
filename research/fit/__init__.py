"""The parts of research/refit: counts of the simulator, fits of them, and what the fits are worth."""
