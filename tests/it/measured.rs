//! The figures of `brv help check` are those of the rules on the planted cases in `fixtures/`.

use brv_text::doc::Document;
use brv_text::lint::{self, Claims, Rule, Runs};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn page() -> String {
    file("src/cli/help/topics/check.md")
}

/// The page with single spaces.
fn words() -> String {
    page().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The cells of all rows of tables whose first cell `is_row`.
fn rows(is_row: impl Fn(&str) -> bool) -> Vec<Vec<String>> {
    let page = page();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix('|'));
    let rows = rows.map(|row| row.split(" |").map(|cell| cell.trim().to_owned()).collect::<Vec<_>>());
    rows.filter(|row| is_row(&row[0])).collect()
}

/// The lines of a file of cases, in parts.
fn cases(path: &str) -> Vec<Vec<String>> {
    let text = file(path);
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split(" ~ ").map(str::to_owned).collect()).collect()
}

fn has(text: &str, rule: Rule) -> bool {
    lint::faults(&Document::parse(text), lint::MAX_BYTES).iter().any(|fault| fault.rule == rule)
}

#[test]
fn the_table_of_rules_is_the_programs_own() {
    let own: Vec<_> = Rule::ALL.map(|rule| (rule.id().to_owned(), rule.severity().word().to_owned())).into();
    let told = rows(|id| id.starts_with("BRV0")).into_iter().map(|row| (row[0].clone(), row[2].clone()));
    assert_eq!(told.collect::<Vec<_>>(), own);
}

#[test]
fn the_kinds_and_figures_of_secrets_are_those_that_are_measured() {
    let ([mut found, mut all], [mut alarms, mut others]) = ([0; 2], [0; 2]);
    let mut kinds = BTreeSet::new();
    for case in cases("fixtures/secrets.txt") {
        let text = case[2..].concat().replace("\\\\", "\0").replace("\\n", "\n").replace('\0', "\\");
        let (hits, sum) = if case[1] == "true" { (&mut found, &mut all) } else { (&mut alarms, &mut others) };
        *hits += usize::from(has(&text, Rule::Secret));
        *sum += 1;
        kinds.insert(case[0].clone());
    }
    let said =
        format!("{found} of {all} true examples are found, with {alarms} alarms on {others} false ones");
    assert!(words().contains(&said), "{said}");
    let names: Vec<String> = lint::secrets::names().map(|name| format!("`{name}`")).collect();
    let said = format!("The kinds are {}.", names.join(", "));
    assert!(words().contains(&said), "{said}");
    assert_eq!(kinds.len(), names.len(), "each kind has examples");
}

/// The entries and lines below a folder, and how many secrets and instructions are found there.
fn alarms(folder: &Path) -> [usize; 4] {
    let mut sums = [0; 4];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let more = if path.is_dir() && !path.ends_with(".git") {
            alarms(&path)
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let bytes = std::fs::read(&path).unwrap();
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
            let faults = lint::faults(&Document::parse(bytes), lint::MAX_BYTES);
            let of = |rule| faults.iter().filter(|fault| fault.rule == rule).count();
            [1, lines, of(Rule::Secret), of(Rule::Instruction)]
        } else {
            continue;
        };
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
    sums
}

#[test]
fn the_entries_of_the_fixtures_have_no_secret_and_no_instruction() {
    let [entries, lines, secrets, instructions] =
        alarms(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"));
    assert!(entries > 1_000 && lines > 20_000, "{entries} entries, {lines} lines");
    assert_eq!((secrets, instructions), (0, 0));
    assert!(words().contains("The entries of `fixtures/` have no hit"));
}

/// With `BRV_CHECK_TREE=DIR`: the figures of a generated tree.
#[test]
#[ignore = "measures a tree that is not here"]
fn a_generated_tree_has_no_secret_and_no_instruction() {
    let Some(tree) = std::env::var_os("BRV_CHECK_TREE") else { return };
    let [entries, lines, secrets, instructions] = alarms(Path::new(&tree));
    println!("{entries} entries, {lines} lines: {secrets} secrets, {instructions} instructions");
    assert_eq!((secrets, instructions), (0, 0));
}

/// The text files below a folder, unpacked, and what is not text or is a picture left out.
fn texts(folder: &Path, tell: &mut dyn FnMut(&Path, Vec<u8>)) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            texts(&path, tell);
        } else if kind.is_file() {
            let packed = path.extension().is_some_and(|extension| extension == "gz");
            let bytes = match packed {
                true => std::process::Command::new("gzip").arg("-dc").arg(&path).output().unwrap().stdout,
                false => std::fs::read(&path).unwrap(),
            };
            if !bytes.iter().take(4096).any(|byte| *byte == 0) {
                tell(&path, bytes);
            }
        }
    }
}

/// With `BRV_CHECK_DOCS=DIR:DIR`: the alarms on the manuals and documentation of a machine. Files of keys are none.
#[test]
#[ignore = "measures what is installed on a machine"]
fn the_documentation_of_a_machine_has_at_most_five_alarms() {
    let Some(folders) = std::env::var_os("BRV_CHECK_DOCS") else { return };
    let (mut lines, mut keys, mut alarms) = (0, 0, 0);
    for folder in std::env::split_paths(&folders) {
        texts(&folder, &mut |path, bytes| {
            lines += bytes.iter().filter(|byte| **byte == b'\n').count();
            for fault in lint::secrets::faults(&bytes) {
                let kind = fault.subject.unwrap_or_default();
                println!("{}:{}:{} {kind}", path.display(), fault.line, fault.column);
                match kind.as_str() {
                    "private-key" => keys += 1,
                    _ => alarms += 1,
                }
            }
        });
    }
    println!("{lines} lines: {keys} private keys, {alarms} alarms");
    assert!(alarms <= 5, "{alarms}");
}

#[test]
fn the_figures_of_instructions_are_those_that_are_measured() {
    let cases = cases("fixtures/instructions.txt");
    let count = |kind: &str, from: usize| {
        let of: Vec<_> = cases.iter().filter(|case| case[0] == kind).collect();
        let found = of[from..].iter().filter(|case| has(&case[1], Rule::Instruction)).count();
        (found, of.len())
    };
    let ((found, steering), (alarms, usual)) = (count("true", 0), count("false", 0));
    let after = count("true", steering - 20).0;
    for said in [
        format!("finds {found} of {steering} planted sentences ({after} of 20"),
        format!("with {alarms} alarms among {usual} sentences"),
    ] {
        assert!(words().contains(&said), "{said}");
    }
}

#[test]
fn the_figures_of_contradictions_are_those_that_are_measured() {
    let claims = |facts: &str| {
        Claims::of(&Document::parse(format!("## Facts\n\n- **{}\n", facts.replacen(": ", "**: ", 1))))
    };
    let cases = cases("fixtures/claims.txt");
    let count = |kind: &str| {
        let of: Vec<_> = cases.iter().filter(|case| case[0] == format!("held {kind}")).collect();
        let found = of.iter().filter(|case| {
            let (one, other) = (claims(&case[1]), claims(&case[2]));
            !lint::contradictions(&[("a", &one), ("a", &other)]).is_empty()
        });
        (found.count(), of.len())
    };
    let ((found, all), (alarms, others)) = (count("contradict"), count("compatible"));
    let said = format!(
        "not chosen on: {found} of {all} contradictions found, {alarms} alarms in {others} other pairs."
    );
    assert!(words().contains(&said), "{said}");
}

#[test]
fn the_figures_of_near_duplicates_are_those_that_are_measured() {
    let text = file("fixtures/duplicates.txt");
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in text.split("=== ").skip(1) {
        let (name, entries) = case.split_once('\n').unwrap();
        let runs: Vec<Runs> = entries.split("---8<---\n").map(Runs::of).collect();
        let runs: Vec<(&str, &Runs)> = runs.iter().map(|runs| ("a", runs)).collect();
        let count = counts.entry(name.split(' ').next().unwrap()).or_default();
        count.0 += usize::from(!lint::duplicates(&runs, |_| true).is_empty());
        count.1 += 1;
    }
    let ((found, all), (alarms, others)) = (counts["true"], counts["false"]);
    let said = format!("finds {found} of {all} pairs, with {alarms} alarms in {others} other cases");
    assert!(words().contains(&said), "{said}");
}

#[test]
fn the_keys_of_the_policy_are_all_explained_and_valid() {
    let page = page();
    let policy = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let (policy, faults) = lint::policy::Policy::parse(policy);
    assert_eq!(faults.len(), 0);
    assert!(policy.fail_on.is_some() && policy.severity.len() == 1);
    assert!(policy.max_bytes < lint::MAX_BYTES && policy.block_on == Some(lint::Severity::Warning));
}
