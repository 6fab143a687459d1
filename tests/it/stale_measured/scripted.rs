//! Small files in nine languages, each edited in one way.

use super::{Label, Measured, fixture, learn, look};
use crate::provenance::World;

/// One file, an entry about it, and what becomes of both.
struct Case {
    name: String,
    entry: String,
    /// The file after each commit; `None`: removed.
    files: Vec<Option<(String, String)>>,
    label: Label,
}

fn cases() -> Vec<Case> {
    let text = fixture("scripted.txt");
    let case = |part: &str| {
        let mut parts = part.split("\n--- ");
        let name = parts.next().unwrap().trim().to_owned();
        let (mut entry, mut files, mut label) = (String::new(), Vec::new(), None);
        for part in parts {
            let (head, text) = part.split_once('\n').unwrap_or((part, ""));
            match head.split_once(' ').unwrap_or((head, "")) {
                ("entry", _) => entry = format!("# {name}\n\n{text}\n"),
                ("file", path) => files.push(Some((path.to_owned(), format!("{text}\n")))),
                ("removed", _) => files.push(None),
                ("now", state) => label = Some(Label::parse(state)),
                _ => panic!("{name}: {head}"),
            }
        }
        Case { name, entry, files, label: label.expect("a label") }
    };
    text.split("\n=== ").skip(1).map(case).collect()
}

/// Write the files of all cases as they are after this many commits.
fn commit(world: &World, cases: &[Case], step: usize) {
    let mut differs = false;
    for case in cases {
        let before = step.checked_sub(1).and_then(|before| case.files.get(before)).and_then(Option::as_ref);
        let Some(file) = case.files.get(step) else { continue };
        differs = true;
        if let Some((path, _)) = before {
            std::fs::remove_file(world.host.join(path)).unwrap();
        }
        if let Some((path, text)) = file {
            world.write(path, text);
        }
    }
    if differs {
        world.git(&["add", "-A"]);
        world.git(&["commit", "-q", "-m", &format!("step {step}")]);
    }
}

#[test]
fn planted_edits_are_told_from_those_that_matter() {
    let world = World::new();
    let cases = cases();
    commit(&world, &cases, 0);
    let paths: Vec<String> = cases.iter().map(|case| format!("planted/cases/{}.md", case.name)).collect();
    let entries: Vec<(&str, &str)> =
        paths.iter().zip(&cases).map(|(path, case)| (&**path, &*case.entry)).collect();
    learn(&world, &entries);
    for step in 1..3 {
        commit(&world, &cases, step);
    }
    let seen = look(&world, &paths.iter().map(String::as_str).collect::<Vec<_>>());
    let mut measured = Measured::default();
    for (case, path) in cases.iter().zip(&paths) {
        measured.note(&case.name, &case.label, &seen[path]);
    }
    measured.check("planted edits");
}
