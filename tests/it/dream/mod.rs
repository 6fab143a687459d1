//! Dreams.

mod precision;
