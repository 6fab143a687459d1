//! The planted cases of `fixtures/grounding`: facts that the text above them states, and facts that it does not.

use super::Grounds;
use crate::doc;
use std::path::Path;

/// A text, and facts about it.
struct PlantedCase {
    name: String,
    grounds: Grounds,
    stated: Vec<String>,
    invented: Vec<String>,
}

fn cases() -> Vec<PlantedCase> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/grounding");
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let case = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let (source, facts) = text.split_once("\n## True\n").unwrap();
        let (stated, invented) = facts.split_once("\n## Invented\n").unwrap();
        let list =
            |text: &str| text.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect();
        PlantedCase {
            name: file.file_name().unwrap().to_string_lossy().into_owned(),
            grounds: Grounds::of([source]),
            stated: list(stated),
            invented: list(invented),
        }
    };
    files.iter().map(case).collect()
}

/// The facts that are not supported, with the name of their case.
fn flagged<'c>(
    cases: &'c [PlantedCase],
    facts: impl Fn(&PlantedCase) -> &[String],
) -> Vec<(&'c str, String)> {
    let of_case = |case: &'c PlantedCase| {
        let is_flagged = |line: &&String| {
            let (subject, statement) = line.trim_start_matches("- ").split_once(": ").unwrap();
            let fact = doc::fact(&format!("- **{subject}**: {statement}")).unwrap();
            !case.grounds.support(fact.subject.as_deref(), &fact.statement)
        };
        facts(case)
            .iter()
            .filter(is_flagged)
            .map(|line| (case.name.as_str(), line.clone()))
            .collect::<Vec<_>>()
    };
    cases.iter().flat_map(of_case).collect()
}

#[test]
fn nine_of_ten_invented_facts_are_flagged_and_one_of_twenty_true_ones_at_most() {
    let cases = cases();
    let count = |facts: fn(&PlantedCase) -> usize| cases.iter().map(facts).sum::<usize>();
    assert_eq!((count(|case| case.stated.len()), count(|case| case.invented.len())), (100, 100));
    let (wrong, right) = (flagged(&cases, |case| &case.stated), flagged(&cases, |case| &case.invented));
    let missed: Vec<&String> = cases
        .iter()
        .flat_map(|case| &case.invented)
        .filter(|line| !right.iter().any(|(_, one)| one == *line))
        .collect();
    assert!(wrong.len() <= 5, "{} of 100 true ones: {wrong:#?}", wrong.len());
    assert!(right.len() >= 90, "{} of 100 invented ones; missed: {missed:#?}", right.len());
}

#[test]
fn how_a_thing_is_written_does_not_matter() {
    let grounds = Grounds::of([
        "Access tokens live 12 hours. We keep 10,000 rows of the rate limiter in `auth_sessions`, on PostgreSQL; two keys.",
    ]);
    for statement in [
        "12h",
        "12-hour lifetime",
        "10000 rows",
        "10 000 rows",
        "10k rows",
        "The Rate-Limiter has rows",
        "auth-sessions",
        "`auth_sessions`",
        "postgresql",
        "PostgreSQL's rows",
        "2 keys",
        "token",
        "\"rate limiter\"",
    ] {
        assert!(grounds.support(None, statement), "{statement}");
    }
    for statement in [
        "12 minutes",
        "13h",
        "1000 rows",
        "`auth_session_log`",
        "Redis",
        "Tokens are kept in Redis",
        "MariaDB keeps the rows",
        "\"rate limits\"",
        "3 keys",
        "Berlin",
    ] {
        assert!(!grounds.support(None, statement), "{statement}");
    }
}
