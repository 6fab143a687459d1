//! The findings of rule BRV016: a name of an entry that the code changed or removed, at its place in the code.

use brv_base::path::TreePath;
use brv_engine::read::stale::Fact;
use brv_engine::vc::check::{CheckFinding, Reported};
use brv_text::lint::{Finding, Rule, Severity, secrets};
use brv_text::stale::{ChangeState, NameChange};
use std::collections::BTreeSet;

pub const RULE: Rule = Rule::StaleFact;

/// One finding for each name of an entry, told by its first line that has the name.
pub(super) fn of(entry: &TreePath, facts: &[Fact], severity: Severity) -> Vec<Reported> {
    let mut seen = BTreeSet::new();
    let new = facts.iter().filter(|fact| seen.insert(&fact.change.name));
    new.map(|fact| Reported::from(&found(entry, fact, severity))).collect()
}

fn found(entry: &TreePath, fact: &Fact, severity: Severity) -> CheckFinding {
    let Fact { line, text, change, file, file_line } = fact;
    let NameChange { name, state, moved_to, .. } = change;
    let now = moved_to.as_ref().map(|path| format!(" (now in `{path}`)")).unwrap_or_default();
    let message = match state {
        _ if name == file => {
            format!("`{file}` is gone, and `{entry}`, line {line}, cites it: {}", text.trim())
        }
        ChangeState::Gone => {
            format!("`{name}` is gone{now}, and `{entry}`, line {line}, names it: {}", text.trim())
        }
        ChangeState::Altered => {
            format!("`{name}` is no longer as `{entry}`, line {line}, knows it: {}", text.trim())
        }
    };
    let key = format!("{entry} {name}");
    let finding = Finding::of_path(RULE, file.as_str().into(), message, &key);
    let finding = Finding { line: *file_line, subject: Some(secrets::masked(name).into_owned()), ..finding };
    CheckFinding { severity, ..CheckFinding::present(finding) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(line: usize, name: &str, file: &str) -> Fact {
        let state = if name == file { ChangeState::Gone } else { ChangeState::Altered };
        let change = NameChange { name: name.into(), state, before: None, after: None, moved_to: None };
        Fact { line, text: format!("uses {name}"), change, file: file.into(), file_line: 7 }
    }

    #[test]
    fn a_name_is_found_once_at_its_place_in_the_code() {
        let entry = TreePath::parse(b"auth/a.md").unwrap();
        let facts = [fact(3, "MAX", "src/a.rs"), fact(9, "MAX", "src/a.rs"), fact(4, "src/b.rs", "src/b.rs")];
        let found = of(&entry, &facts, Severity::Warning);
        let told: Vec<_> =
            found.iter().map(|found| (found.path.as_str(), found.line, found.message.as_str())).collect();
        let expected = [
            ("src/a.rs", 7, "`MAX` is no longer as `auth/a.md`, line 3, knows it: uses MAX"),
            ("src/b.rs", 7, "`src/b.rs` is gone, and `auth/a.md`, line 4, cites it: uses src/b.rs"),
        ];
        assert_eq!(told, expected);
        assert!(found.iter().all(|found| (found.rule, found.severity) == ("BRV016", "warning")));
    }

    #[test]
    fn a_gone_name_is_told_with_its_new_file() {
        let mut gone = fact(3, "MAX", "src/a.rs");
        (gone.change.state, gone.change.moved_to) = (ChangeState::Gone, Some("src/b.rs".into()));
        let found = of(&TreePath::parse(b"a.md").unwrap(), &[gone], Severity::Warning);
        assert_eq!(
            found[0].message,
            "`MAX` is gone (now in `src/b.rs`), and `a.md`, line 3, names it: uses MAX"
        );
    }

    #[test]
    fn a_fingerprint_knows_entry_name_and_file_and_no_line() {
        let print = |entry: &str, fact: Fact| {
            of(&TreePath::parse(entry.as_bytes()).unwrap(), &[fact], Severity::Warning)[0].fingerprint.clone()
        };
        let first = print("a.md", fact(3, "MAX", "src/a.rs"));
        assert_eq!(
            first,
            print("a.md", Fact { file_line: 90, text: "other".into(), ..fact(8, "MAX", "src/a.rs") })
        );
        let others = [("b.md", "MAX", "src/a.rs"), ("a.md", "MIN", "src/a.rs"), ("a.md", "MAX", "src/b.rs")];
        for (entry, name, file) in others {
            assert_ne!(first, print(entry, fact(3, name, file)));
        }
    }
}
