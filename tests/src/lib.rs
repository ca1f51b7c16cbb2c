//! End-to-end and load tests live in `tests/tests/`.
