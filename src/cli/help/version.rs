//! `brv --version --json`: which program this is.

use brv_commands::version::{self, Program};
use std::ffi::OsString;

/// The name of the schema: `brv.version/1`. There is no command of this name.
pub const NAME: &str = "version";

/// This program, as the build script knows it.
pub fn program() -> Program {
    version::program(env!("BUILD_COMMIT"), env!("BUILD_TARGET"), env!("BUILD_PROFILE"))
}

/// Whether these arguments, without the name of the program, ask for the version as JSON and for nothing else; with the
/// version of the schema where they name one.
pub fn asked(arguments: &[OsString]) -> Option<Option<u32>> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let is_version = |word: &&str| ["--version", "-V"].contains(word);
    let rest: Vec<&str> = words.iter().copied().filter(|word| !is_version(word)).collect();
    let number = match rest[..] {
        ["--json"] | ["--format=json"] | ["--format", "json"] => None,
        [word] => Some(word.strip_prefix("--json=")?.parse().ok()?),
        _ => return None,
    };
    (words.len() == rest.len() + 1 && words.len() == arguments.len()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_may_stand_in_any_order_but_alone() {
        let asked = |line: &str| asked(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for line in ["--version --json", "--json -V", "-V --format json", "--version --format=json"] {
            assert_eq!(asked(line), Some(None), "{line}");
        }
        assert_eq!(asked("-V --json=2"), Some(Some(2)));
        for line in
            ["--version", "--json", "--json=1", "--version --json status", "--version --version --json"]
        {
            assert_eq!(asked(line), None, "{line}");
        }
    }
}
