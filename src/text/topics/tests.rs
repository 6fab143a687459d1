//! The rows of the table of keys, the shape of the tree, splitting, and input that no project has.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn past(rows: &[(&str, &str)]) -> Vec<Past> {
    let one = |(subject, files): &(&str, &str)| Past {
        subject: (*subject).to_owned(),
        files: files.split_whitespace().map(str::to_owned).collect(),
        is_taken: true,
    };
    rows.iter().map(one).collect()
}

/// A project of many small crates, whose subjects begin with scopes.
fn scoped() -> Project {
    Project::of(&past(&[
        ("ignore: a", "crates/ignore/src/walk.rs"),
        ("ignore: b", "crates/ignore/src/dir.rs"),
        ("globset: a", "crates/globset/src/glob.rs"),
        ("globset: b", "crates/globset/src/glob.rs"),
        ("walk: a", "crates/ignore/src/walk.rs"),
        ("cli: a", "crates/search/args.rs"),
        ("cli: b", "crates/search/flags/defs.rs"),
        ("printer: a", "crates/printer/src/json.rs"),
    ]))
}

/// A project of conventional commits.
fn conventional() -> Project {
    Project::of(&past(&[
        ("feat(index): a", "gix-index/src/file.rs"),
        ("feat(index): b", "gix-index/src/file.rs"),
        ("fix: c", "gix-pack/src/data/mod.rs"),
        ("fix: d", "gix-ref/src/store/file.rs"),
        ("docs: e", "gix-url/src/parse.rs"),
        ("ci: f", "gix-date/src/parse.rs"),
    ]))
}

/// `domain / topic`, for short.
fn key(project: &Project, subject: &str, files: &str) -> String {
    let files: Vec<&str> = files.split_whitespace().collect();
    let key = project.key(subject, &files);
    key.topic.map_or(key.domain.clone(), |topic| format!("{} / {topic}", key.domain))
}

#[test]
fn row_1_a_scope_of_two_names_is_domain_and_topic_if_it_is_known() {
    let project = scoped();
    assert_eq!(key(&project, "ignore/walk: x", "crates/search/args.rs"), "ignore / walk");
    assert_eq!(key(&project, "Ignore(walks): x", "crates/search/args.rs"), "ignore / walk");
    assert_eq!(
        key(&project, "search/flags: x", "crates/search/args.rs"),
        "search / flag",
        "a part of its paths"
    );
    assert_eq!(
        key(&project, "printer/json: x", "crates/search/args.rs"),
        "search / args",
        "used once: not known"
    );
    assert_eq!(key(&project, "crates/ignore: x", "crates/search/args.rs"), "ignore");
    assert_eq!(key(&conventional(), "feat(index/file): x", "gix-url/src/parse.rs"), "index / file");
}

#[test]
fn row_2_a_scope_has_the_part_below_it_that_has_half_of_the_weight() {
    let project = scoped();
    let glob = "crates/globset/src/glob.rs";
    assert_eq!(key(&project, "globset: x", glob), "globset / glob");
    assert_eq!(
        key(&project, "globset: x", "crates/globset/src/lib.rs crates/globset/src/a.rs"),
        "globset / a"
    );
    let three = "crates/globset/src/a.rs crates/globset/src/b.rs crates/globset/src/c.rs";
    assert_eq!(key(&project, "globset: x", three), "globset");
    assert_eq!(key(&project, "globset, ignore: x", "crates/globset/src/lib.rs"), "globset");
    assert_eq!(key(&conventional(), "feat(index): x", "gix-index/src/file.rs"), "index / file");
    assert_eq!(key(&conventional(), "feat(gix-index)!: x", "gix-index/src/lib.rs Cargo.lock"), "index");
}

#[test]
fn row_3_a_scope_within_a_head_that_is_used_as_often_is_its_topic() {
    let project = scoped();
    assert_eq!(key(&project, "walk: x", "crates/ignore/src/walk.rs crates/search/args.rs"), "ignore / walk");
    assert_eq!(key(&project, "walk: x", "crates/ignore/src/walk.rs"), "ignore / walk");
    assert_eq!(key(&project, "cli: x", "crates/search/args.rs"), "cli", "search is not a scope");
    assert_eq!(key(&project, "ci: x", "crates/ignore/src/walk.rs"), "ci", "housekeeping is nobody's topic");
}

#[test]
fn row_4_without_a_scope_the_heaviest_part_decides() {
    let project = scoped();
    assert_eq!(
        key(&project, "Fix it", "crates/ignore/src/walk.rs crates/ignore/src/walk/a.rs"),
        "ignore / walk"
    );
    assert_eq!(
        key(&project, "Fix it", "crates/ignore/src/a.rs crates/ignore/src/b.rs crates/ignore/src/c.rs"),
        "ignore"
    );
    assert_eq!(key(&project, "unheard: x", "crates/ignore/src/walk.rs"), "ignore / walk");
    let beside = "tests/a.rs tests/b.rs tests/c.rs docs/a.md docs/b.md Cargo.lock crates/ignore/src/walk.rs";
    assert_eq!(key(&project, "Fix it", beside), "ignore / walk");
    assert_eq!(key(&project, "Fix it", "tests/a.rs tests/b.rs tests/c.rs docs/a.md"), "tests");
    assert_eq!(key(&project, "Fix it", "ci/a.sh ci/b.sh crates/ignore/src/walk.rs"), "ignore / walk");
    assert_eq!(key(&project, "Fix it", "src/main.rs"), "code");
    assert_eq!(key(&project, "Fix it", "server/index.js"), "server");
    assert_eq!(key(&conventional(), "fix: x", "gix-pack/src/data/mod.rs"), "pack / data");
}

#[test]
fn row_5_housekeeping_types_are_scopes_where_scopes_are_the_habit() {
    for (subject, domain) in
        [("docs: x", "docs"), ("ci: x", "ci"), ("deps: x", "build"), ("test: x", "tests")]
    {
        assert_eq!(key(&scoped(), subject, "crates/ignore/src/walk.rs"), domain);
        assert_eq!(key(&conventional(), subject, "gix-pack/src/data/mod.rs"), "pack / data", "{subject}");
    }
    assert_eq!(key(&scoped(), "fix: x", "crates/ignore/src/walk.rs"), "ignore / walk");
}

#[test]
fn row_6_side_files_alone_are_housekeeping_or_nothing() {
    let project = scoped();
    for files in ["", "crates/ignore/Cargo.toml", "Cargo.lock README.md", "crates/a/b.snap go.sum"] {
        assert_eq!(key(&project, "Say it", files), "project / misc", "{files}");
    }
    assert_eq!(key(&project, "Say it", ".github/workflows/a.yml .github/workflows/b.yml"), "ci");
    assert_eq!(key(&project, "Say it", "Cargo.lock Cargo.toml"), "build");
    assert_eq!(key(&project, "ignore: say it", "crates/ignore/Cargo.toml"), "ignore");
}

#[test]
fn parts_that_tell_nothing_apart_are_left_out() {
    // five crates share a prefix, and only a number is left of one
    assert_eq!(key(&conventional(), "x", "gix-new/src/a.rs"), "new / a");
    assert_eq!(key(&conventional(), "x", "gix-2/src/a.rs"), "gix_2 / a");
    // more than half of the commits touch the head
    let project =
        Project::of(&past(&[("a", "server/net/tcp.rs"), ("b", "server/db/sql.rs"), ("c", "web/ui.js")]));
    assert_eq!(key(&project, "x", "server/net/tcp.rs"), "net / tcp");
    assert_eq!(key(&project, "x", "web/ui.js"), "web / ui");
    assert_eq!(key(&project, "general: x", "server/general/a.rs"), "a");
}

/// The path of each item in a shape of all.
fn paths(project: &Project, items: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<Vec<&str>> = items.iter().map(|(_, files)| files.split_whitespace().collect()).collect();
    let keys: Vec<TopicKey> =
        items.iter().zip(&files).map(|((subject, _), files)| project.key(subject, files)).collect();
    let shape = TopicLayout::of(project, keys.iter().zip(files.iter().map(Vec::as_slice)));
    keys.iter().zip(&files).map(|(key, files)| shape.spelled(&shape.place(key, files))).collect()
}

fn times<'a>(count: usize, item: (&'a str, &'a str)) -> Vec<(&'a str, &'a str)> {
    vec![item; count]
}

#[test]
fn a_domain_of_three_entries_is_a_folder_and_small_topics_are_in_its_own_entry() {
    let project = scoped();
    let walk = times(3, ("ignore/walk: x", "crates/ignore/src/walk.rs"));
    let dir = times(3, ("ignore/dir: x", "crates/ignore/src/dir.rs"));
    let few = times(2, ("ignore/types: x", "crates/ignore/src/types.rs"));
    let all = [walk.clone(), dir.clone(), few].concat();
    let told: BTreeSet<String> = paths(&project, &all).into_iter().collect();
    assert_eq!(told.into_iter().collect::<Vec<_>>(), ["ignore/dir.md", "ignore/ignore.md", "ignore/walk.md"]);
    let told: BTreeSet<String> = paths(&project, &[walk, dir].concat()).into_iter().collect();
    assert_eq!(told.into_iter().collect::<Vec<_>>(), ["code/ignore_dir.md", "code/ignore_walk.md"]);
}

#[test]
fn a_small_domain_is_in_the_entry_of_its_area() {
    let project = scoped();
    assert_eq!(paths(&project, &[("x", "crates/ignore/src/walk.rs")]), ["code/code.md"]);
    assert_eq!(
        paths(&project, &[("x", "server/net/tcp.rs"), ("x", "README.md Cargo.lock")])[1],
        "project/misc.md"
    );
    assert_eq!(paths(&project, &[("ci: x", "ci/run.sh")]), ["project/project.md"]);
    assert_eq!(paths(&project, &times(3, ("ci: x", "ci/run.sh")))[2], "project/ci_run.md");
    let project = Project::of(&past(&[("net: a", "lib/net.rs"), ("net: b", "lib/net.rs")]));
    assert_eq!(paths(&project, &[("net: x", "lib/net.rs")]), ["lib/lib.md"]);
    assert_eq!(paths(&project, &times(3, ("net: x", "lib/net.rs")))[2], "lib/net.md");
}

#[test]
fn there_are_at_most_ten_folders_and_about_ninety_entries() {
    let names: Vec<(String, String)> = (0..720)
        .map(|at| {
            let (package, part) = (at % 40, at / 40 % 6);
            (format!("feat(p{package}x): {at}"), format!("packages/p{package}x/src/q{part}y/a.ts"))
        })
        .collect();
    let items: Vec<(&str, &str)> =
        names.iter().map(|(subject, file)| (subject.as_str(), file.as_str())).collect();
    let told: BTreeSet<String> = paths(&Project::of(&past(&items)), &items).into_iter().collect();
    let folders: BTreeSet<&str> = told.iter().filter_map(|path| path.split('/').next()).collect();
    assert!(folders.len() <= 10 && told.len() <= 90, "{} {}", folders.len(), told.len());
}

#[test]
fn the_commonest_spelling_is_shown_and_case_makes_no_second_entry() {
    let project = Project::of(&past(&[
        ("a", "ui/Types.rs"),
        ("b", "UI/types.rs"),
        ("c", "ui/type.rs"),
        ("d", "x/a.rs"),
        ("e", "y/a.rs"),
        ("f", "z/a.rs"),
        ("g", "w/a.rs"),
    ]));
    let items = [times(2, ("x", "UI/list.rs")), times(2, ("x", "ui/Lists.rs"))].concat();
    assert_eq!(paths(&project, &items).into_iter().collect::<BTreeSet<_>>().len(), 1);
    let project = Project::of(&past(&[("a", "a/entries.rs"), ("b", "b/entries.rs"), ("c", "c/entry.rs")]));
    assert_eq!(paths(&project, &times(3, ("x", "a/entry.rs")))[0], "code/a_entries.md");
    assert_eq!(paths(&project, &times(3, ("con: x", "CON/con.rs")))[0], "code/con_.md");
}

#[test]
fn an_entry_that_is_there_is_found_by_what_its_path_means() {
    let project = scoped();
    let shape = TopicLayout::of(&project, std::iter::empty());
    let files = ["crates/ignore/src/walk.rs"];
    let key = project.key("ignore/walk: x", &files);
    for there in ["ignore/walk.md", "Ignore/Walks.md", "code/ignore_walk.md", "project/ignore-walk.md"] {
        let standing = EntryPaths::of([there, "ignore/ignore.md"]);
        assert_eq!(standing.entry_of(&shape, &key, &files), Some(there));
    }
    let standing = EntryPaths::of(["a/walk.md", "walk.md", "ignore/walk/walk.md", "Code/other.md"]);
    assert_eq!(standing.entry_of(&shape, &key, &files), None);
    assert_eq!(standing.path(&shape, &key, &files), "Code/code.md");
    let standing = EntryPaths::of(["Code/Code.md"]);
    assert_eq!(standing.path(&shape, &key, &files), "Code/Code.md");
}

/// How many items each entry has after splitting `code/a.md` of these items.
fn split_sizes(rows: &[(String, i32)]) -> BTreeMap<String, usize> {
    let project = scoped();
    let files: Vec<Vec<&str>> = rows.iter().map(|(files, _)| files.split_whitespace().collect()).collect();
    let member = |(at, (_, year)): (usize, &(String, i32))| {
        ("code/a.md".to_owned(), TopicItem { files: files[at].as_slice(), year: *year })
    };
    let items: Vec<(String, TopicItem<'_>)> = rows.iter().enumerate().map(member).collect();
    let mut sizes = BTreeMap::new();
    split(&project, &items).into_iter().for_each(|path| *sizes.entry(path).or_default() += 1);
    sizes
}

fn sizes(of: &[(&str, usize)]) -> BTreeMap<String, usize> {
    of.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect()
}

#[test]
fn a_large_entry_is_split_by_the_part_that_many_share_but_not_most() {
    let some = |count: usize, file: &str| vec![(file.to_owned(), 2024); count];
    let rows = [some(10, "src/a/b.rs"), some(14, "src/a/c.rs tests/b.rs")].concat();
    assert_eq!(split_sizes(&rows), sizes(&[("code/a.md", 24)]));
    let rows = [some(10, "src/a/b.rs"), some(15, "src/a/c.rs tests/b.rs")].concat();
    assert_eq!(split_sizes(&rows), sizes(&[("code/a.md", 10), ("code/a_c.md", 15)]));
    // four of five share it, and two do not
    let rows = [some(24, "src/a/b.rs"), some(6, "src/a.rs")].concat();
    assert_eq!(split_sizes(&rows), sizes(&[("code/a.md", 30)]));
    let rows = [some(28, "src/a.rs"), some(2, "src/a/b.rs")].concat();
    assert_eq!(split_sizes(&rows), sizes(&[("code/a.md", 30)]));
}

#[test]
fn what_no_part_splits_goes_by_year_the_oldest_first() {
    let of = |year: i32, count: usize| vec![("src/a.rs".to_owned(), year); count];
    assert_eq!(split_sizes(&of(2024, 40)), sizes(&[("code/a.md", 40)]));
    let rows = [of(2022, 10), of(2023, 20), of(2024, 25)].concat();
    assert_eq!(
        split_sizes(&rows),
        sizes(&[("code/a.md", 25), ("code/a_2022.md", 10), ("code/a_2023.md", 20)])
    );
    let rows = [of(2023, 2), of(2024, 130)].concat();
    let expected = [
        ("code/a.md", 40),
        ("code/a_2023.md", 2),
        ("code/a_2024.md", 40),
        ("code/a_2024_2.md", 40),
        ("code/a_2024_3.md", 10),
    ];
    assert_eq!(split_sizes(&rows), sizes(&expected));
}

proptest! {
    #![proptest_config(crate::cases::held_to(128))]

    /// Any subjects and paths have portable paths of two parts, the same in any order of the files.
    #[test]
    fn every_item_has_a_portable_place_that_the_order_of_files_does_not_change(
        rows in proptest::collection::vec((".{0,20}", proptest::collection::vec("[a-cA-C認🚀./_-]{0,8}", 0..5)), 1..60)
    ) {
        let joined = |files: &[String]| files.join(" ");
        let reversed = |files: &[String]| files.iter().rev().cloned().collect::<Vec<_>>().join(" ");
        let told = |order: &dyn Fn(&[String]) -> String| {
            let rows: Vec<(&str, String)> = rows.iter().map(|(subject, files)| (subject.as_str(), order(files))).collect();
            let items: Vec<(&str, &str)> = rows.iter().map(|(subject, files)| (*subject, files.as_str())).collect();
            paths(&Project::of(&past(&items)), &items)
        };
        let all = told(&joined);
        for path in &all {
            prop_assert_eq!(brv_base::path::kind_of(path), brv_base::path::PathKind::Entry, "{}", path);
            prop_assert!(brv_base::path::TreePath::parse(path.as_bytes()).is_ok(), "{}", path);
            prop_assert_eq!(path.matches('/').count(), 1);
            prop_assert!(!path.contains("general"));
        }
        prop_assert_eq!(all, told(&reversed));
    }
}

#[test]
fn an_entry_of_a_year_stands_beside_its_own_and_the_next_is_counted() {
    for (path, full, expected) in [
        ("code/a.md", 0, "code/a_2026.md"),
        ("code/a.md", 1, "code/a_2026_2.md"),
        ("a/b/c_.md", 2, "a/b/c_2026_3.md"),
    ] {
        assert_eq!(of_year(path, 2026, full), expected);
    }
}
