//! Fuzzing: one string of bytes as a document.
#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code, reason = "each target checks one")]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(broken) = laws::document(bytes) {
        panic!("{broken}");
    }
});
