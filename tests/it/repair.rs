//! `brv vc repair`: merges that a host made by line, repeated by meaning.

use crate::env::{Env, tree};
use crate::init::{json, project, write};

const BASE: &str = "---\ntitle: A\ntags: [a]\n---\n\n## Narrative\n\nOne.\n\n- x\n\nTwo.\n";

fn read(env: &Env) -> String {
    std::fs::read_to_string(tree(env).join("auth/a.md")).unwrap()
}

/// A merge commit as made by a host that merges by line, with `broken` as its result.
fn merged_by_line(ours: &str, theirs: &str, broken: &str) -> Env {
    let env = project(&[]);
    let tree = tree(&env);
    env.commit(&tree, &[("auth/a.md", BASE)]);
    env.git(&tree, &["checkout", "-q", "-b", "topic"]);
    env.commit(&tree, &[("auth/a.md", theirs)]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("auth/a.md", ours)]);
    env.git(&tree, &["merge", "-q", "-s", "ours", "-m", "merged by line", "topic"]);
    write(&env, &[("auth/a.md", broken)]);
    env.git(&tree, &["commit", "-q", "-a", "--amend", "--no-edit"]);
    env
}

fn tags(tags: &str) -> String {
    BASE.replace("[a]", tags)
}

fn marked() -> String {
    BASE.replace("tags: [a]\n", "<<<<<<< HEAD\ntags: [a, b]\n=======\ntags: [a, c]\n>>>>>>> topic\n")
}

#[test]
fn markers_and_doubled_keys_give_way_to_the_merge_by_meaning() {
    let doubled = BASE.replace("tags: [a]\n", "tags: [a, b]\ntags: [a, c]\n");
    for broken in [marked(), doubled] {
        let env = merged_by_line(&tags("[a, b]"), &tags("[a, c]"), &broken);
        let ran = env.brv(&["vc", "repair", "auth/a.md", "--dry-run"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("would be redone"), "{}", ran.stdout);
        assert_eq!(read(&env), broken, "a dry run");
        let ran = env.brv(&["vc", "repair", "auth/a"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("was redone, not staged yet"), "{}", ran.stdout);
        assert_eq!(read(&env), tags("[a, b, c]"));
        assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), " M auth/a.md");
        assert_eq!(env.brv(&["vc", "repair", "auth/a"]).stdout, "auth/a.md: nothing to repair\n");
        assert_eq!(env.brv(&["derive", "--check"]).code, 0);
    }
}

#[test]
fn what_was_written_since_survives_also_below_other_merges() {
    let env = merged_by_line(&tags("[a, b]"), &tags("[a, c]"), &marked());
    let tree = tree(&env);
    env.git(&tree, &["checkout", "-q", "-b", "later"]);
    env.commit(&tree, &[("auth/a.md", &marked().replace("One.", "One, later."))]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("b.md", "# B\n")]);
    env.git(&tree, &["merge", "-q", "-m", "another", "later"]);
    write(&env, &[("auth/a.md", &read(&env).replace("Two.", "Two, not recorded."))]);
    assert_eq!(env.brv(&["vc", "repair", "auth/a.md"]).code, 0);
    let expected = tags("[a, b, c]").replace("One.", "One, later.").replace("Two.", "Two, not recorded.");
    assert_eq!(read(&env), expected);
}

#[test]
fn a_fact_that_was_appended_right_below_the_markers_survives() {
    let with = |facts: &str| format!("{BASE}\n## Facts\n\n- **a**: one\n{facts}");
    let (ours, theirs) = (with("- **b**: ours\n"), with("- **c**: theirs\n"));
    let broken = with("<<<<<<< HEAD\n- **b**: ours\n=======\n- **c**: theirs\n>>>>>>> topic\n");
    let env = merged_by_line(&ours, &theirs, &broken);
    env.commit(&tree(&env), &[("auth/a.md", &format!("{broken}- **later**: after the merge\n"))]);
    let ran = env.brv(&["vc", "repair", "auth/a.md"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(read(&env), with("- **b**: ours\n- **c**: theirs\n- **later**: after the merge\n"));
}

#[test]
fn what_stands_in_the_way_is_named_and_nothing_is_written() {
    let env = merged_by_line(&tags("[a, b]"), &tags("[a, c]"), &marked());
    let today = marked().replace("[a, c]", "[a, mine]");
    write(&env, &[("auth/a.md", &today)]);
    let ran = env.brv(&["vc", "repair", "auth/a.md"]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("would overwrite lines") && ran.stderr.contains("tags: [a, mine]"),
        "{}",
        ran.stderr
    );
    assert_eq!(read(&env), today);
}

#[test]
fn what_stays_undecided_keeps_markers_around_the_smallest_block() {
    let side = |tags: &str, prose: &str| BASE.replace("[a]", tags).replace("One.", prose);
    let (ours, theirs) = (side("[a, b]", "Eins."), side("[a, c]", "Un."));
    let broken = format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> topic\n");
    let env = merged_by_line(&ours, &theirs, &broken);
    let ran = env.brv(&["vc", "repair", "auth/a.md", "--json"]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    let file = json(&ran.stdout)["data"]["files"][0].take();
    assert_eq!((&file["state"], &file["open"]), (&"repaired".into(), &1.into()));
    let text = read(&env);
    assert!(
        text.starts_with("---\ntitle: A\ntags: [a, b, c]\n---\n") && text.ends_with("\n- x\n\nTwo.\n"),
        "{text}"
    );
    assert_eq!(env.brv(&["vc", "resolve", "auth/a.md", "--theirs"]).code, 0);
    assert_eq!(read(&env), side("[a, b, c]", "Un."));
}

#[test]
fn without_a_merge_the_decisions_are_named() {
    let env = project(&[]);
    env.commit(&tree(&env), &[("auth/a.md", &marked()), ("sound.md", "# Sound\n")]);
    let ran = env.brv(&["vc", "repair", "auth/a.md", "sound.md"]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    assert_eq!(ran.stdout, "sound.md: nothing to repair\n");
    assert!(
        ran.stderr.contains("no merge in history produced these markers; 1 conflict to resolve"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("brv vc resolve"), "{}", ran.stderr);
    assert_eq!(env.brv(&["vc", "repair", "no-such.md"]).code, 2);
}
