//! A short soak; `cargo bench -- soak` is the long one.

use super::wire;
use crate::env::{Env, tree};
use std::time::Duration;

#[path = "../../bench/soak.rs"]
mod clients;

#[test]
fn four_clients_and_a_person_lose_nothing_and_no_memory_grows() {
    let env = Env::new();
    let report = clients::start(&env, Duration::from_secs(20));
    println!("{report}");
    assert!(report.faults().is_empty(), "{:#?}", report.faults());
    env.fsck(&tree(&env));
}
