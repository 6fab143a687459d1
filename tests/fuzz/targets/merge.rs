//! Fuzzing: three versions of one file.
#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code, reason = "each target checks one")]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(broken) = {
        let [base, ours, theirs] = laws::parted(bytes);
        laws::three(base, ours, theirs)
    } {
        panic!("{broken}");
    }
});
