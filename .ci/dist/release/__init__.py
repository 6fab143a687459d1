"""The steps of a release, one module each."""
