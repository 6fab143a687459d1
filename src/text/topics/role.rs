//! The role of a file in a commit, by its path: code, tests, prose, or a side file.

use crate::judge::lists::{is_prose, is_side, is_tests};

/// What a file is to a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Code,
    Test,
    Prose,
    /// A file that changes beside others: a manifest, a change log, a snapshot.
    Side,
}

impl Role {
    pub(super) fn of(path: &str) -> Self {
        if is_side(path) {
            Self::Side
        } else if is_tests(path) {
            Self::Test
        } else if is_prose(path) {
            Self::Prose
        } else {
            Self::Code
        }
    }

    /// The weight of a file in its commit, in twentieths.
    pub(super) const fn weight(self, is_beside_code: bool) -> u64 {
        match self {
            Self::Side => 1,
            Self::Test if is_beside_code => 3,
            Self::Prose if is_beside_code => 6,
            Self::Code | Self::Test | Self::Prose => 20,
        }
    }
}

/// Whether an entry may name the file as the code that it is about: all but side files.
pub fn is_code_path(path: &str) -> bool {
    Role::of(path) != Role::Side
}

/// Whether a file is code itself: no test, no prose and no side file.
pub fn is_plain_code(path: &str) -> bool {
    Role::of(path) == Role::Code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_first_role_that_its_path_tells() {
        for (role, paths) in [
            (Role::Code, "src/a.rs core/contest.rs"),
            (Role::Test, "tests/a.md a/Benches/b.rs x/foo_test.go docs/test_a.py"),
            (Role::Prose, "docs/a.png FAQ.md book/x.rs"),
            (
                Role::Side,
                "Cargo.toml tests/Cargo.lock docs/CHANGELOG README.ja.md .github/w/ci.yml tests/b.snap",
            ),
        ] {
            for path in paths.split(' ') {
                assert_eq!(Role::of(path), role, "{path}");
            }
        }
    }

    #[test]
    fn tests_and_prose_weigh_less_beside_code() {
        assert_eq!([true, false].map(|beside| Role::Test.weight(beside)), [3, 20]);
        assert_eq!([true, false].map(|beside| Role::Prose.weight(beside)), [6, 20]);
        assert_eq!([true, false].map(|beside| Role::Side.weight(beside)), [1, 1]);
    }
}
