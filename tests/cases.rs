//! The number of random cases, and the random seed, of property tests (tests only).
//!
//! Every run uses the same cases, so that a test fails because of a change and not by chance. `BRV_LAW_CASES` sets a
//! higher number, `BRV_LAW_SEED` another seed. Knows nothing of any law.

use proptest::test_runner::{Config, RngSeed};

/// The random seed unless `BRV_LAW_SEED` overrides it.
const SEED: u64 = 20;

/// The reference for `BRV_LAW_CASES`: at ten times this number, every law runs ten times its own number of cases.
const USUAL: u64 = 1_000;

/// The configuration of a law with `own` cases by default. Every law is run with it.
///
/// # Panics
///
/// If a variable is not a number (or `random`, for the seed): a run with other cases must not silently replace the one
/// that was asked for.
pub(crate) fn held_to(own: u32) -> Config {
    #[expect(clippy::disallowed_methods, reason = "tests are configured by whoever starts them")]
    let variable = |name: &str| std::env::var(name).ok();
    Config {
        cases: count(own, variable("BRV_LAW_CASES").as_deref()),
        rng_seed: seed(variable("BRV_LAW_SEED").as_deref()),
        max_shrink_iters: 4_000,
        ..Config::default()
    }
}

fn count(own: u32, asked: Option<&str>) -> u32 {
    let asked = asked.map_or(USUAL, |text| text.parse().expect("BRV_LAW_CASES is a number"));
    u32::try_from((u64::from(own) * asked).div_ceil(USUAL)).unwrap_or(u32::MAX).max(1)
}

fn seed(asked: Option<&str>) -> RngSeed {
    match asked {
        None => RngSeed::Fixed(SEED),
        Some("random") => RngSeed::Random,
        Some(text) => RngSeed::Fixed(text.parse().expect("BRV_LAW_SEED is a number or `random`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;

    #[test]
    fn more_cases_are_more_of_every_law() {
        assert_eq!([count(96, None), count(96, Some("10000")), count(96, Some("1"))], [96, 960, 1]);
        assert_eq!(count(1_000, Some("10000")), 10_000);
        assert_eq!(count(u32::MAX, Some("10000")), u32::MAX);
    }

    #[test]
    fn the_same_seed_makes_the_same_cases() {
        let drawn = |asked: Option<&str>| -> Vec<u64> {
            let mut runner = TestRunner::new(Config { rng_seed: seed(asked), ..Config::default() });
            let numbers = proptest::num::u64::ANY;
            (0..8).map(|_| numbers.new_tree(&mut runner).expect("any number").current()).collect()
        };
        assert_eq!(drawn(None), drawn(None));
        assert_eq!(drawn(Some("7")), drawn(Some("7")));
        assert_ne!(drawn(None), drawn(Some("7")));
        assert_ne!(drawn(Some("random")), drawn(Some("random")));
    }
}
