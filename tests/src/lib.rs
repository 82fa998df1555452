//! Nothing here: see `suite/` and `tests/`.
