//! Histories made in memory, merged, and read back: no work tree, no process.

use super::*;
use brv_git::commit::{self, NewCommit};
use brv_git::trees::{self, TreeItem};
use brv_git::{FileMode, Signature, history, store, tree_with};
use brv_text::merge::Undecided;
use bstr::{BString, ByteSlice as _};

struct Lab {
    _folder: tempfile::TempDir,
    scope: Scope,
}

type TestTreeFiles<'a> = &'a [(&'a str, &'a str)];

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            brv_git::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        Self { _folder: folder, scope }
    }

    /// A commit of exactly these files; a path that begins with `+` is executable.
    fn commit(&self, parents: &[CommitId], files: TestTreeFiles<'_>) -> CommitId {
        let blobs: Vec<Vec<u8>> = files.iter().map(|(_, text)| text.as_bytes().to_vec()).collect();
        let ids = store::write_blobs(&self.scope, &blobs).unwrap();
        let paths: Vec<BString> = files.iter().map(|(path, _)| path.trim_start_matches('+').into()).collect();
        let modes = files.iter().map(|(path, _)| match path.starts_with('+') {
            true => FileMode::Executable,
            false => FileMode::Regular,
        });
        let versions = paths.iter().zip(modes.zip(ids).map(Some));
        let tree = tree_with(&self.scope, TreeId::empty(), versions).unwrap();
        let who = Signature::anonymous(1_700_000_000);
        let new = NewCommit {
            tree,
            parents: parents.to_vec(),
            author: who.clone(),
            committer: who,
            message: "x\n".into(),
        };
        commit::write(&self.scope, &new).unwrap()
    }

    fn merge_with(&self, ours: CommitId, theirs: CommitId, options: &Options<'_>) -> TestMergeResult {
        let bases = history::merge_bases(&self.scope, ours, theirs).unwrap();
        let merged = reconcile(&self.scope, &Histories { ours, theirs, bases }, options).unwrap();
        let files = trees::list(merged.scope(), merged.tree).unwrap().into_iter().map(|(path, version)| {
            let text = trees::blob(merged.scope(), version.id).unwrap();
            let sign = if version.mode == FileMode::Executable { "+" } else { "" };
            (format!("{sign}{path}"), String::from_utf8(text).unwrap())
        });
        let (files, tree) = (files.collect(), merged.tree);
        let (conflicts, settled) = (merged.conflicts.clone(), merged.settled.clone());
        merged.store().unwrap();
        let again = brv_git::open(self.scope.work_tree(), "", self.scope.environment()).unwrap();
        assert_eq!(trees::list(&again, tree).unwrap().len(), Vec::len(&files), "all of it was stored");
        TestMergeResult { files, conflicts, settled }
    }

    fn merge(&self, ours: CommitId, theirs: CommitId) -> TestMergeResult {
        self.merge_with(ours, theirs, &Options::default())
    }

    /// Both sides from one base.
    fn three(
        &self,
        base: TestTreeFiles<'_>,
        ours: TestTreeFiles<'_>,
        theirs: TestTreeFiles<'_>,
    ) -> TestMergeResult {
        self.three_with(base, ours, theirs, Undecided::Mark)
    }

    fn three_with(
        &self,
        base: TestTreeFiles<'_>,
        ours: TestTreeFiles<'_>,
        theirs: TestTreeFiles<'_>,
        undecided: Undecided,
    ) -> TestMergeResult {
        let base = self.commit(&[], base);
        let (ours, theirs) = (self.commit(&[base], ours), self.commit(&[base], theirs));
        self.merge_with(ours, theirs, &Options { undecided, ..Options::default() })
    }
}

#[derive(Debug)]
struct TestMergeResult {
    files: Vec<(String, String)>,
    conflicts: Vec<Conflict>,
    settled: Vec<Settled>,
}

impl TestMergeResult {
    #[track_caller]
    fn clean(&self, files: TestTreeFiles<'_>) -> &Self {
        assert!(self.conflicts.is_empty(), "{:?}", self.conflicts);
        self.has(files)
    }

    #[track_caller]
    fn has(&self, files: TestTreeFiles<'_>) -> &Self {
        let found: Vec<_> = self.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        assert_eq!(found, files);
        self
    }

    #[track_caller]
    fn events(&self, events: &[(&str, Event)]) {
        let found =
            self.settled.iter().filter_map(|one| Some((one.path.to_str().unwrap(), one.event.clone()?)));
        assert_eq!(found.collect::<Vec<_>>(), events);
    }

    #[track_caller]
    fn open(&self, conflicts: &[(&str, ConflictKind, Option<&str>)]) -> &Self {
        let found = self.conflicts.iter().map(|one| {
            let other = one.other.as_ref().map(|other| other.to_str().unwrap());
            (one.path.to_str().unwrap(), one.kind, other)
        });
        assert_eq!(found.collect::<Vec<_>>(), conflicts);
        self
    }
}

const TEXT: &str = "# A\n\none\n\ntwo\n\nthree\n\nfour\n\nfive\n";

fn text(from: &str, to: &str) -> String {
    TEXT.replace(from, to)
}

#[test]
fn what_one_side_changed_is_taken_and_what_both_did_alike_is_taken_once() {
    let lab = Lab::new();
    lab.three(
        &[("a.md", "a"), ("b.md", "b"), ("c.md", "c"), ("d.md", "d")],
        &[("a.md", "ours"), ("b.md", "b"), ("d.md", "same"), ("new.md", "n")],
        &[("a.md", "a"), ("b.md", "theirs"), ("c.md", "c"), ("d.md", "same"), ("new.md", "n")],
    )
    .clean(&[("a.md", "ours"), ("b.md", "theirs"), ("d.md", "same"), ("new.md", "n")])
    .events(&[]);
}

#[test]
fn an_edit_follows_a_rename_whichever_side_made_it() {
    let lab = Lab::new();
    let edited = text("three", "THREE");
    let moved = text("one", "ONE");
    let both = moved.replace("three", "THREE");
    for (edit, there) in [(&edited, TEXT), (&edited, &moved)] {
        let result = if there == TEXT { &edited } else { &both };
        let from = || Event::Followed { from: "a.md".into(), by: Side::Ours };
        lab.three(&[("a.md", TEXT)], &[("x/b.md", there)], &[("a.md", edit)])
            .clean(&[("x/b.md", result)])
            .events(&[("x/b.md", from())]);
        lab.three(&[("a.md", TEXT)], &[("a.md", edit)], &[("x/b.md", there)])
            .clean(&[("x/b.md", result)])
            .events(&[("x/b.md", Event::Followed { from: "a.md".into(), by: Side::Theirs })]);
    }
}

#[test]
fn a_file_that_both_sides_moved_to_one_place_is_merged_there() {
    let lab = Lab::new();
    lab.three(&[("a.md", TEXT)], &[("b.md", &text("one", "ONE"))], &[("b.md", &text("five", "FIVE"))])
        .clean(&[("b.md", &text("one", "ONE").replace("five", "FIVE"))]);
}

#[test]
fn a_file_moved_to_two_places_is_in_both_until_somebody_decides() {
    let lab = Lab::new();
    let (ours, theirs) = (text("one", "ONE"), text("five", "FIVE"));
    let both = ours.replace("five", "FIVE");
    let merge =
        |undecided| lab.three_with(&[("a.md", TEXT)], &[("b.md", &ours)], &[("c.md", &theirs)], undecided);
    merge(Undecided::Mark).has(&[("b.md", &both), ("c.md", &both)]).open(&[
        ("b.md", ConflictKind::MovedApart, Some("c.md")),
        ("c.md", ConflictKind::MovedApart, Some("b.md")),
    ]);
    merge(Undecided::Ours).clean(&[("b.md", &both)]);
    merge(Undecided::Theirs).clean(&[("c.md", &both)]);
    merge(Undecided::Both).clean(&[("b.md", &both), ("c.md", &both)]);
}

#[test]
fn what_one_side_removed_and_the_other_changed_or_moved_stays() {
    let lab = Lab::new();
    let edited = text("one", "ONE");
    let kept =
        |by, from: Option<&str>| Event::ChangeKept { by, from: from.map(Into::into), is_archived: false };
    lab.three(&[("a.md", TEXT)], &[("a.md", &edited)], &[])
        .clean(&[("a.md", &edited)])
        .events(&[("a.md", kept(Side::Ours, None))]);
    lab.three(&[("a.md", TEXT)], &[], &[("a.md", &edited)])
        .clean(&[("a.md", &edited)])
        .events(&[("a.md", kept(Side::Theirs, None))]);
    lab.three(&[("a.md", TEXT)], &[("b.md", TEXT)], &[])
        .clean(&[("b.md", TEXT)])
        .events(&[("b.md", kept(Side::Ours, Some("a.md")))]);
}

#[test]
fn in_an_undo_a_removal_against_a_change_is_a_conflict() {
    let lab = Lab::new();
    let edited = text("one", "ONE");
    let base = lab.commit(&[], &[("a.md", TEXT)]);
    let (with, without) = (lab.commit(&[base], &[("a.md", &edited)]), lab.commit(&[base], &[]));
    let options = |undecided| Options { removals: Removals::Conflict, undecided, ..Options::default() };
    let seen = lab.merge_with(with, without, &options(Undecided::Mark));
    seen.has(&[("a.md", &edited)]).open(&[("a.md", ConflictKind::DeletedByThem, None)]);
    let versions = seen.conflicts[0].versions;
    assert!(versions[0].is_some() && versions[1].is_some() && versions[2].is_none());
    lab.merge_with(without, with, &options(Undecided::Mark)).has(&[("a.md", &edited)]).open(&[(
        "a.md",
        ConflictKind::DeletedByUs,
        None,
    )]);
    lab.merge_with(with, without, &options(Undecided::Theirs)).clean(&[]);
    lab.merge_with(with, without, &options(Undecided::Ours)).clean(&[("a.md", &edited)]);
}

#[test]
fn a_file_added_where_the_other_side_moved_one_meets_it() {
    let lab = Lab::new();
    let meeting = |added: &str| {
        let theirs = [("a.md", text("three", "THREE")), ("b.md", added.to_owned())];
        let theirs = theirs.each_ref().map(|(path, text)| (*path, text.as_str()));
        lab.three(&[("a.md", TEXT)], &[("b.md", TEXT)], &theirs)
    };
    let seen = meeting("# A\n\nother\n");
    let [(path, merged)] = &seen.files[..] else { panic!("{seen:?}") };
    assert_eq!(path, "b.md");
    assert!(merged.contains("THREE") && merged.contains("other"), "{merged}");
    // two entries that share only their name are not mixed
    let seen = meeting("# B\n\nother\n");
    let [(path, merged)] = &seen.files[..] else { panic!("{seen:?}") };
    assert!(path == "b.md" && merged.contains("THREE") && !merged.contains("other"), "{merged}");
    let [conflict] = &seen.conflicts[..] else { panic!("{seen:?}") };
    let theirs = conflict.versions[2].expect("the other one is at hand");
    assert_eq!(theirs.id, brv_git::BlobId::of(b"# B\n\nother\n"));
}

#[test]
fn a_mode_is_merged_three_ways() {
    let lab = Lab::new();
    let edited = text("one", "ONE");
    lab.three(&[("a.md", TEXT)], &[("+a.md", TEXT)], &[("a.md", &edited)]).clean(&[("+a.md", &edited)]);
    lab.three(&[("+a.md", TEXT)], &[("+a.md", &edited)], &[("a.md", TEXT)]).clean(&[("a.md", &edited)]);
    lab.three(&[], &[("+a.md", TEXT)], &[("a.md", TEXT)]).clean(&[("a.md", TEXT)]);
}

#[test]
fn a_file_where_the_other_side_has_a_folder_gets_a_name_of_its_own() {
    let lab = Lab::new();
    let wanted = || BString::from("a/b.md");
    let (kind, other) = (ConflictKind::FileAndFolder, Some("a/b.md"));
    let inner = ("a/b.md/c.md", "inner");
    lab.three(&[], &[("a/b.md", "file")], &[inner])
        .has(&[("a/b.md/c.md", "inner"), ("a/b.ours.md", "file")])
        .open(&[("a/b.ours.md", kind, other)]);
    lab.three(&[], &[inner, ("a/b.theirs.md", "taken")], &[("a/b.md", "file")])
        .has(&[("a/b.md/c.md", "inner"), ("a/b.theirs-2.md", "file"), ("a/b.theirs.md", "taken")])
        .open(&[("a/b.theirs-2.md", kind, other)]);
    lab.three_with(&[], &[("a/b.md", "file")], &[inner], Undecided::Both)
        .clean(&[("a/b.md/c.md", "inner"), ("a/b.ours.md", "file")])
        .events(&[("a/b.ours.md", Event::Renamed { wanted: wanted(), by: Side::Ours })]);
    // a file that became a folder is not a collision, a changed one is
    lab.three(&[("a/b.md", "file")], &[("a/b.md", "file")], &[inner]).clean(&[inner]);
    lab.three(&[("a/b.md", "file")], &[("a/b.md", "changed")], &[inner])
        .has(&[("a/b.md/c.md", "inner"), ("a/b.ours.md", "changed")]);
}

#[test]
fn derived_files_are_never_merged_and_never_a_conflict() {
    let lab = Lab::new();
    let (one, two) = (&[("_index.md", "one")], &[("_index.md", "two")]);
    let first = lab.three(&[("_index.md", "base")], one, two);
    let second = lab.three(&[("_index.md", "base")], two, one);
    assert!(first.conflicts.is_empty());
    assert_eq!(first.files, second.files, "whoever merges");
    lab.three(&[("_index.md", "base")], one, &[]).clean(&[]);
}

#[test]
fn support_files_are_merged_by_lines() {
    let lab = Lab::new();
    let base = "a\nb\nc\nd\ne\n";
    lab.three(
        &[(".gitignore", base)],
        &[(".gitignore", &base.replace('a', "A"))],
        &[(".gitignore", &base.replace('e', "E"))],
    )
    .clean(&[(".gitignore", "A\nb\nc\nd\nE\n")]);
}

#[test]
fn criss_cross_histories_merge_from_a_base_without_markers() {
    let lab = Lab::new();
    let root = lab.commit(&[], &[("a.md", TEXT), ("b.md", TEXT)]);
    // both sides change one paragraph, each merges the other and decides for itself
    let one = lab.commit(&[root], &[("a.md", &text("three", "one's")), ("b.md", TEXT)]);
    let two = lab.commit(&[root], &[("a.md", &text("three", "two's")), ("b.md", &text("one", "ONE"))]);
    let ours = lab.commit(&[one, two], &[("a.md", &text("three", "ours")), ("b.md", &text("one", "ONE"))]);
    let theirs =
        lab.commit(&[two, one], &[("a.md", &text("three", "theirs")), ("b.md", &text("one", "ONE"))]);
    assert_eq!(history::merge_bases(&lab.scope, ours, theirs).unwrap().len(), 2);
    let seen = lab.merge(ours, theirs);
    seen.open(&[("a.md", ConflictKind::BothModified, None)]);
    let [conflict] = &seen.conflicts[0].decisions[..] else { panic!("{:?}", seen.conflicts) };
    assert!(conflict.texts.base.as_deref().is_some_and(|base| base.contains("three")), "{conflict:?}");
    let base = seen.conflicts[0].versions[0].unwrap();
    assert_eq!(base.id, brv_base::content::ContentId::of(TEXT.as_bytes()), "the base has no markers");
    // b.md is as both bases made it on one side, and restored on the other
    let settled = lab.commit(&[one, two], &[("a.md", &text("three", "ours")), ("b.md", TEXT)]);
    let again = lab.merge(settled, theirs);
    assert_eq!(again.files[1], ("b.md".to_owned(), TEXT.to_owned()));
}

#[test]
fn a_base_that_another_one_descends_from_is_none_also_among_commits_of_one_second() {
    let lab = Lab::new();
    let commit = |parents: &[CommitId], text: &str| lab.commit(parents, &[("a.md", text)]);
    let first = commit(&[], "1");
    let second = commit(&[first], "2");
    let side = commit(&[first], "3");
    let merged = commit(&[side, second], "4");
    let base = commit(&[merged], "5");
    let other = commit(&[second], "6");
    let again = commit(&[other, base], "7");
    let (ours, theirs) = (commit(&[base], "8"), commit(&[again], "9"));
    assert_eq!(history::merge_bases(&lab.scope, ours, theirs).unwrap(), [base]);
    assert_eq!(history::merge_bases(&lab.scope, base, theirs).unwrap(), [base]);
}

#[test]
fn a_deep_criss_cross_ends() {
    let lab = Lab::new();
    let mut sides = [lab.commit(&[], &[("a.md", "0")]); 2];
    for step in 0..40 {
        let [one, two] = sides;
        let file = |side: &str| format!("{step} {side}");
        sides = match step {
            0 => [lab.commit(&[one], &[("a.md", "l")]), lab.commit(&[two], &[("a.md", "r")])],
            _ => [
                lab.commit(&[one, two], &[("a.md", &file("left"))]),
                lab.commit(&[two, one], &[("a.md", &file("right"))]),
            ],
        };
    }
    let seen = lab.merge(sides[0], sides[1]);
    seen.open(&[("a.md", ConflictKind::BothModified, None)]);
}

#[test]
fn without_a_base_both_sides_have_added_everything() {
    let lab = Lab::new();
    let ours = lab.commit(&[], &[("a.md", TEXT), ("b.md", "b\n")]);
    let theirs = lab.commit(&[], &[("a.md", TEXT), ("c.md", "c\n")]);
    lab.merge(ours, theirs).clean(&[("a.md", TEXT), ("b.md", "b\n"), ("c.md", "c\n")]);
}

#[test]
fn a_file_that_went_away_elsewhere_is_not_taken_for_the_one_that_moved() {
    let lab = Lab::new();
    let other = TEXT.replace("two", "2").replace("four", "4");
    // b.md went to c.md byte for byte; a.md, alike, is gone; theirs changed a.md
    let seen = lab.three(
        &[("a.md", TEXT), ("b.md", &other)],
        &[("c.md", &other)],
        &[("a.md", &text("one", "ONE")), ("b.md", &other)],
    );
    seen.clean(&[("a.md", &text("one", "ONE")), ("c.md", &other)]);
}

#[test]
fn nothing_is_stored_before_the_merge_is_accepted() {
    let lab = Lab::new();
    let base = lab.commit(&[], &[("a.md", TEXT)]);
    let ours = lab.commit(&[base], &[("a.md", &text("one", "ONE"))]);
    let theirs = lab.commit(&[base], &[("a.md", &text("five", "FIVE"))]);
    let histories = Histories { ours, theirs, bases: vec![base] };
    let merged = reconcile(&lab.scope, &histories, &Options::default()).unwrap();
    let found = trees::find(merged.scope(), merged.tree, "a.md".into()).unwrap();
    let Some(TreeItem::File(version)) = found else { panic!("{found:?}") };
    assert!(!store::holds(&lab.scope, version.id));
}

#[test]
fn two_files_that_were_taken_for_one_new_name_are_both_told() {
    let lab = Lab::new();
    let (near, new) = (text("two", "2"), text("five", "new"));
    let (first, second) = (text("one", "first"), near.replace("three", "second"));
    let seen = lab.three(
        &[("1.md", TEXT), ("2.md", &near)],
        &[("1.md", &first), ("added.md", &near.replace("five", "new"))],
        &[("2.md", &second), ("added.md", &new)],
    );
    seen.events(&[
        ("added.md", Event::Followed { from: "2.md".into(), by: Side::Ours }),
        ("added.md", Event::Followed { from: "1.md".into(), by: Side::Theirs }),
    ]);
    let (path, bytes) = &seen.files[0];
    assert_eq!((path.as_str(), seen.files.len()), ("added.md", 1));
    assert!(bytes.contains("first") && bytes.contains("second"), "{bytes}");
}
