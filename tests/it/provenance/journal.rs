//! The source commit in the journal: where the tree's commits are the code's own, or have no trailer.

use super::{World, entry, id, standing};
use crate::env::{context, context_of};
use brv_base::path::TreePath;
use brv_engine::journal::{OperationKind, SourceCommit};
use brv_engine::write::landing::{self, Draft, Item, Note};
use brv_engine::write::operation::files_only::Rewrite;
use bstr::BStr;
use std::collections::BTreeSet;
use std::path::Path;

/// Save an entry that states something, learned from this commit of the code.
fn save(world: &World, subject: &str, statement: &str, source: &str) {
    let cx = context_of(&world.host, &world.env.environment());
    let opened = cx.open().unwrap();
    let path = TreePath::parse(entry(subject).as_bytes()).unwrap();
    let text = format!("# {subject}\n\n## Facts\n\n- **{subject}**: {statement}\n");
    let file = Rewrite::edit(&opened.scope, &path, |_| Ok(Some(text.clone().into()))).unwrap();
    let note = Note { path: path.as_str().into(), reason: "learned".into(), review: None };
    let words = |_: &BTreeSet<&BStr>| (format!("learn {subject}"), Vec::new());
    let draft = Draft {
        notes: vec![note],
        source_commit: Some(SourceCommit::parse(source).unwrap()),
        ..Draft::new(vec![Item::of(file)], &words)
    };
    landing::save(cx.parts(&opened), OperationKind::Curate, &draft).unwrap().complete().unwrap();
}

fn message(world: &World, repository: &Path) -> String {
    world.env.git(repository, &["log", "-1", "--format=%B"])
}

#[test]
fn a_commit_and_an_operation_name_the_source() {
    let world = World::new();
    let source = world.recorded(&world.head());
    save(&world, "fact", "one", &source);
    assert!(message(&world, &world.tree()).contains(&format!("\nBrv-Source-Commit: {source}")));
    world.assert_standing("fact", "same", Some(&world.head()));
    let operation = world.env.git(&world.tree(), &["for-each-ref", "--format=%(contents)", "refs/brv/ops/"]);
    assert!(operation.contains(&format!("\nBrv-Source-Commit: {source}")), "{operation}");
}

#[test]
fn a_commit_that_a_person_makes_of_one_curation_names_its_source() {
    let world = World::new();
    world.brv(&["config", "set", "commit.auto", "false"]);
    world.state("other", "1234abc");
    let [first, second] = [world.head(), world.commit("a.txt", "a\n")].map(|commit| world.recorded(&commit));
    save(&world, "one", "one", &first);
    world.assert_standing("one", "same", Some(&first[..40]));
    world.brv(&["vc", "commit", "-m", "learn"]);
    assert!(message(&world, &world.tree()).contains(&format!("\nBrv-Source-Commit: {first}")));
    save(&world, "two", "two", &first);
    save(&world, "three", "three", &second);
    world.brv(&["vc", "commit", "-m", "learn more"]);
    assert!(!message(&world, &world.tree()).contains("Brv-Source-Commit"), "there are two sources");
    for (subject, commit) in [("two", &first), ("three", &second)] {
        world.assert_standing(subject, "same", Some(&commit[..40]));
    }
}

#[test]
fn in_the_codes_own_repository_the_journal_names_the_source() {
    let world = World::in_repo();
    let first = world.head();
    save(&world, "fact", "one", &world.recorded(&first));
    world.assert_standing("fact", "same", Some(&first));
    let unstaged = world.env.brv_in(&world.host, &["vc", "commit", "-m", "knowledge"]);
    assert_eq!(unstaged.code, 1, "{}", unstaged.stderr);
    assert!(!message(&world, &world.host).contains("Brv-Source-Commit"), "the branch is the code's");
    world.assert_standing("fact", "same", Some(&first));
    let second = world.commit("a.txt", "a\n");
    save(&world, "fact", "two", &world.recorded(&second));
    world.commit("b.txt", "with the entry\n");
    let fact = world.blame(&world.host, "fact")["fact"].take();
    assert_eq!(standing(&fact["current"][0]), ("same".into(), Some(second)));
    assert_eq!(standing(&fact["earlier"][0]), ("same".into(), Some(first)));
    world.env.git(world.env.root(), &["clone", "-q", "code", "fresh"]);
    let fresh = world.env.path("fresh");
    let ran = world.env.brv_in(&fresh, &["vc", "blame", "--fact", "fact", "--json", &entry("fact")]);
    let stated = crate::init::json(&ran.stdout)["data"]["fact"]["current"][0].take();
    assert!(stated["source"].is_null() && stated["source_commit"].is_null(), "{stated}");
}

#[test]
fn an_undone_curation_is_no_source() {
    let world = World::in_repo();
    save(&world, "fact", "one", &world.recorded(&world.head()));
    world.brv(&["undo"]);
    crate::lab::write(&world.tree(), &[(&entry("fact"), "# Fact\n\n## Facts\n\n- **fact**: one\n")]);
    world.brv(&["vc", "add", "--all"]);
    world.assert_standing("fact", "none", None);
}

#[test]
fn an_operation_with_an_unreadable_source_reads_without_it() {
    let world = World::new();
    let source = world.recorded(&world.head());
    save(&world, "fact", "one", &source);
    let scope = context(&world.host).open().unwrap().scope;
    let operation = brv_engine::journal::list(&scope).unwrap().remove(0);
    assert_eq!(operation.record.unwrap().source_commit, SourceCommit::parse(&source));
    let raw = world.env.git(&world.tree(), &["cat-file", "commit", &operation.commit.to_string()]);
    std::fs::write(world.env.path("raw"), raw.replace(&source, "not an id")).unwrap();
    let raw = world.env.path("raw");
    let other = world.env.git(&world.tree(), &["hash-object", "-t", "commit", "-w", raw.to_str().unwrap()]);
    assert_eq!(brv_engine::journal::read(&scope, id(&other)).unwrap().source_commit, None);
}
