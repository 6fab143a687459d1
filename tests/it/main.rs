//! All tests that see brv from outside: one binary, so that it links once.

mod layers;
