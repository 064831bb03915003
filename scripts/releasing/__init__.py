"""Parts of scripts/release: the number of a release, reproducible archives, the list of components."""
