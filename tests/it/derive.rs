//! Derived files on disk: regenerated if out of date, left alone if edited, the same from any starting point.

use crate::env::{Env, context};
use crate::lab;
use brv_commands::derive::{self, Options};
use brv_commands::init::{self, HostRule};
use brv_engine::derive::Why;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

struct Tree {
    _env: Env,
    root: PathBuf,
}

impl Tree {
    /// The example tree about brv itself, not yet committed, derived by `init`.
    fn about_brv() -> Self {
        let env = Env::new();
        let root = env.path("project/.brv/context-tree");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/brv"), &root);
        let options = init::Options {
            initial_branch: "main".into(),
            host: HostRule::Exclude,
            home: init::TreeHome::Own,
        };
        init::run(&context(&env.path("project")), &options).unwrap().written.rewritten.derived.unwrap();
        Self { _env: env, root }
    }

    fn derive(&self, options: Options) -> brv_engine::derive::Outcome {
        derive::run(&context(&self.root), &options).unwrap().0.refreshed.unwrap()
    }

    fn check(&self) -> Vec<(String, Why)> {
        let found = derive::run(&context(&self.root), &Options::Check).unwrap().0.found.unwrap();
        found.into_iter().map(|file| (file.path.as_str().to_owned(), file.why)).collect()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// Every derived file with its bytes.
    fn derived(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(&self.root, &self.root, &mut found);
        found.retain(|path, _| matches!(brv_base::path::kind_of(path), brv_base::path::PathKind::Derived(_)));
        found
    }
}

/// A folder with all its content.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_name() == ".git" {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

fn names(paths: &[brv_base::path::TreePath]) -> Vec<&str> {
    paths.iter().map(brv_base::path::TreePath::as_str).collect()
}

const ENTRY: &str = "architecture/rooms/room_map.md";

#[test]
fn every_folder_and_every_entry_gets_its_files_and_a_second_run_writes_nothing() {
    let tree = Tree::about_brv();
    let derived = tree.derived();
    let count = |end: &str| derived.keys().filter(|path| path.ends_with(end)).count();
    assert_eq!((count(".abstract.md"), count(".overview.md")), (46, 46));
    assert_eq!(count("_index.md"), 33, "32 folders and the root");
    assert_eq!(count("_manifest.json"), 1);
    assert_eq!(tree.derive(Options::Refresh), brv_engine::derive::Outcome::default());
    assert_eq!(tree.check(), []);
}

#[test]
fn one_edit_makes_its_companions_its_ancestors_and_the_manifest_again_and_no_more() {
    let tree = Tree::about_brv();
    let text = tree.read(ENTRY);
    tree.write(ENTRY, &format!("{text}\nNo room may open the database while another holds its lock.\n"));
    let stale: Vec<_> = tree.check().into_iter().map(|(path, _)| path).collect();
    let expected = [
        "_index.md",
        "_manifest.json",
        "architecture/_index.md",
        "architecture/rooms/_index.md",
        "architecture/rooms/room_map.abstract.md",
        "architecture/rooms/room_map.overview.md",
    ];
    assert_eq!(stale, expected);
    let written = tree.derive(Options::Refresh).written;
    assert_eq!(names(&written), expected);
}

#[test]
fn the_bytes_do_not_depend_on_the_cache_or_on_the_way_there() {
    let tree = Tree::about_brv();
    tree.write("sync/late.md", "# Late\n\nA late note about retries: they are bounded.\n");
    tree.derive(Options::Refresh);
    std::fs::remove_file(tree.root.join("traps/context.md")).unwrap();
    tree.derive(Options::Refresh);
    let step_by_step = tree.derived();
    std::fs::remove_dir_all(tree.root.join("../cache")).unwrap();
    for path in step_by_step.keys() {
        std::fs::remove_file(tree.root.join(path)).unwrap();
    }
    tree.derive(Options::Refresh);
    assert!(tree.derived() == step_by_step, "from an empty cache");
    assert!(tree.derive(Options::All).written.is_empty(), "everything again");
}

/// The derived files in the output of `status`.
fn stale(tree: &Tree) -> usize {
    brv_commands::vc::status::run(&context(&tree.root), &brv_commands::vc::status::Options::default())
        .unwrap()
        .stale
}

#[test]
fn without_its_cache_brv_tells_the_truth_about_the_bytes() {
    let tree = Tree::about_brv();
    let ledger = tree.root.join("../cache/derived/ledger-3.2");
    let whole = std::fs::read(&ledger).unwrap();
    let flip = |at: usize| {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&ledger, damaged).unwrap();
    };
    let harms: [&dyn Fn(); 6] = [
        &|| std::fs::remove_file(&ledger).unwrap(),
        &|| flip(4),
        &|| flip(whole.len() / 2),
        &|| {
            std::fs::write(
                &ledger,
                String::from_utf8(whole.clone()).unwrap().replacen("brv ledger 3.2 ", "brv ledger 20 ", 1),
            )
            .unwrap()
        },
        &|| std::fs::write(ledger.with_file_name("unfinished"), "").unwrap(),
        &|| std::fs::remove_dir_all(tree.root.join("../cache")).unwrap(),
    ];
    for (at, harm) in harms.into_iter().enumerate() {
        tree.derive(Options::Refresh);
        harm();
        let before = tree.derived();
        assert_eq!((tree.check(), stale(&tree)), (vec![], 0), "{at}");
        tree.write(ENTRY, &format!("{}\nA line, the {at}.\n", tree.read(ENTRY)));
        assert_eq!((tree.check().len(), stale(&tree)), (6, 6), "{at}");
        std::fs::remove_file(tree.root.join("traps/_index.md")).unwrap();
        let manifest = tree.read("_manifest.json");
        tree.write("_manifest.json", "");
        assert_eq!((tree.check().len(), stale(&tree)), (7, 7), "{at}");
        tree.write("_manifest.json", &manifest);
        tree.write("traps/_index.md", std::str::from_utf8(&before["traps/_index.md"]).unwrap());
        assert!(tree.derived() == before, "looking writes nothing: {at}");
    }
}

#[test]
fn whatever_stands_in_the_cache_s_place_stops_no_command() {
    let tree = Tree::about_brv();
    let cache = tree.root.join("../cache");
    let places = [
        "derived/ledger-3.2",
        "derived/shards-2.2-0",
        "derived/unfinished",
        "derived/folders-3.2",
        "disputed",
    ];
    let places = places.into_iter().chain(["derive.lock", "derived", ""]);
    for (at, place) in places.enumerate() {
        let path = if place.is_empty() { cache.clone() } else { cache.join(place) };
        let harms: [&dyn Fn(); 2] = [&|| std::fs::write(&path, "rubbish").unwrap(), &|| {
            std::fs::create_dir_all(path.join("full/of")).unwrap()
        }];
        for (which, harm) in harms.into_iter().enumerate() {
            tree.derive(Options::Refresh);
            match path.symlink_metadata() {
                Ok(found) if found.is_dir() => std::fs::remove_dir_all(&path).unwrap(),
                Ok(_) => std::fs::remove_file(&path).unwrap(),
                Err(_) => {}
            }
            harm();
            stale(&tree);
            tree.write(ENTRY, &format!("{}\nA line, the {at} of {which}.\n", tree.read(ENTRY)));
            assert_eq!(tree.derive(Options::Refresh).written.len(), 6, "{place} {which}");
            assert_eq!((tree.check(), stale(&tree)), (vec![], 0), "{place} {which}");
        }
    }
    let aside = std::fs::read_to_string(cache.with_extension("aside-1")).unwrap();
    assert_eq!(aside, "rubbish", "a file in place of the whole cache is moved aside");
}

#[test]
fn another_version_s_cache_is_left_alone_until_nobody_used_it_for_two_weeks() {
    let tree = Tree::about_brv();
    let derived = tree.root.join("../cache/derived");
    // the numbers of another version, as those of this one stand in its names
    let others =
        ["ledger", "shards-0", "ledger-4.2", "shards-3.2-0", "folders-4.2"].map(|name| derived.join(name));
    for file in &others {
        std::fs::write(file, "of another version").unwrap();
    }
    let kept = || others.iter().filter(|file| file.exists()).count();
    for round in 0..5 {
        assert_eq!(tree.derive(Options::Refresh).written.len(), 0, "each version derives once: {round}");
        // what the other version does to its own files
        std::fs::write(&others[2], format!("of another version, the {round}.")).unwrap();
    }
    tree.write(ENTRY, &format!("{}\nOne more line.\n", tree.read(ENTRY)));
    assert_eq!(tree.derive(Options::Refresh).written.len(), 6);
    assert_eq!(kept(), 5);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(15 * 24 * 3600);
    for file in &others[..4] {
        std::fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
    }
    tree.write(ENTRY, &format!("{}\nAnd one more.\n", tree.read(ENTRY)));
    assert_eq!(tree.derive(Options::Refresh).written.len(), 6);
    assert_eq!(kept(), 1, "the youngest one");
}

#[test]
fn a_lost_derived_file_comes_back() {
    let tree = Tree::about_brv();
    let before = tree.derived();
    std::fs::remove_file(tree.root.join("_index.md")).unwrap();
    std::fs::remove_file(tree.root.join("architecture/rooms/room_map.abstract.md")).unwrap();
    let missing = tree.check();
    assert!(missing.iter().all(|(_, why)| *why == Why::Missing) && missing.len() == 2, "{missing:?}");
    assert_eq!(tree.derive(Options::Refresh).written.len(), 2);
    assert!(tree.derived() == before);
}

#[test]
fn what_follows_from_a_deleted_entry_goes_and_empty_folders_with_it() {
    let tree = Tree::about_brv();
    tree.write("new_domain/topic/only.md", "# Only\n\nThe only note of its folder says enough to be kept.\n");
    tree.derive(Options::Refresh);
    assert!(tree.root.join("new_domain/topic/only.abstract.md").exists());
    std::fs::remove_file(tree.root.join("new_domain/topic/only.md")).unwrap();
    let removed = tree.derive(Options::Refresh).removed;
    assert_eq!(
        names(&removed),
        [
            "new_domain/_index.md",
            "new_domain/topic/_index.md",
            "new_domain/topic/only.abstract.md",
            "new_domain/topic/only.overview.md",
        ]
    );
    assert!(!tree.root.join("new_domain").exists());
}

#[test]
fn a_hand_made_or_hand_edited_derived_file_is_never_overwritten_or_removed() {
    let tree = Tree::about_brv();
    let mine = "# My own index\n";
    tree.write("traps/_index.md", mine);
    let edited = tree.read("sync/_index.md") + "\nA line of mine.\n";
    tree.write("sync/_index.md", &edited);
    let kept: Vec<_> = tree.derive(Options::All).kept.into_iter().map(|kept| (kept.path, kept.why)).collect();
    let kept: Vec<_> = kept.iter().map(|(path, why)| (path.as_str(), *why)).collect();
    assert_eq!(kept, [("sync/_index.md", Why::Altered), ("traps/_index.md", Why::Foreign)]);
    assert_eq!((tree.read("traps/_index.md"), tree.read("sync/_index.md")), (mine.to_owned(), edited));
    assert_eq!(tree.check().len(), 2);
}

#[test]
fn a_file_that_a_power_cut_emptied_is_made_again() {
    let tree = Tree::about_brv();
    let before = tree.derived();
    let names: Vec<&String> = before.keys().filter(|name| name.ends_with("_index.md")).take(2).collect();
    tree.write(names[0], "");
    tree.write(names[1], &"\0".repeat(before[names[1]].len()));
    let outdated = names.iter().map(|name| ((*name).clone(), Why::Outdated)).collect::<Vec<_>>();
    assert_eq!(tree.check(), outdated);
    let outcome = tree.derive(Options::Refresh);
    assert_eq!((outcome.written.len(), outcome.kept), (2, Vec::new()));
    assert_eq!(tree.derived(), before);
    // if no file needs it any more, it is removed
    tree.write("nowhere/_index.md", "");
    assert_eq!(tree.check(), [("nowhere/_index.md".to_owned(), Why::Orphaned)]);
    assert_eq!(tree.derive(Options::Refresh).removed.len(), 1);
}

#[test]
#[cfg(unix)]
fn what_is_behind_a_link_in_a_folder_s_place_is_neither_written_nor_removed() {
    let tree = Tree::about_brv();
    let outside = tree.root.join("../../outside");
    std::fs::rename(tree.root.join("sync"), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, tree.root.join("sync")).unwrap();
    let mut before = BTreeMap::new();
    collect(&outside, &outside, &mut before);
    assert!(before.keys().any(|path| path.ends_with(".abstract.md")));
    for options in [Options::Refresh, Options::All] {
        tree.derive(options);
        let mut after = BTreeMap::new();
        collect(&outside, &outside, &mut after);
        assert_eq!(after, before);
    }
    // a folder again: its derived files are regenerated
    std::fs::remove_file(tree.root.join("sync")).unwrap();
    std::fs::rename(&outside, tree.root.join("sync")).unwrap();
    tree.derive(Options::Refresh);
    assert_eq!(tree.check(), []);
}

#[test]
fn what_is_derived_commit_by_commit_is_what_is_derived_at_once() {
    let env = Env::new();
    let root = env.path("project/.brv/context-tree");
    let options =
        init::Options { initial_branch: "main".into(), host: HostRule::Exclude, home: init::TreeHome::Own };
    init::run(&context(&env.path("project")), &options).unwrap();
    let tree = Tree { _env: env, root };
    let mut seed: u64 = 7;
    let mut below = |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let folders = ["", "a/", "a/b/", "a/b/c/", "d/", "d/e/"];
    for round in 0..40 {
        for _ in 0..=below(3) {
            let name = ["x.md", "y.md", "context.md", "README.md"][below(4) as usize];
            let path = format!("{}{name}", folders[below(6) as usize]);
            match below(3) {
                0 => drop(std::fs::remove_file(tree.root.join(&path))),
                _ => tree.write(&path, &format!("# {path}\n\nRule {round}: always do number {round}.\n")),
            }
        }
        lab::add_all(&tree.root);
        lab::commit(&tree.root, "a round").unwrap();
        assert_eq!(tree.check(), [], "round {round}");
    }
    let followed = tree.derived();
    std::fs::remove_dir_all(tree.root.join("../cache")).unwrap();
    tree.derive(Options::All);
    assert!(followed.len() > 10 && followed == tree.derived());
}

#[test]
fn whatever_becomes_of_the_cache_the_bytes_are_the_same() {
    let tree = small();
    let cache = tree.root.join("../cache/derived");
    let mut seed: u64 = 11;
    let mut below = |limit: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % limit
    };
    let folders = ["", "a/", "a/b/", "d/", "d/e/"];
    for round in 0..30 {
        // between two commands, cached data is lost, truncated, or changed in one bit
        let name = |entry: std::fs::DirEntry| entry.file_name().into_string().unwrap();
        let kept = std::fs::read_dir(&cache).unwrap().map(|entry| name(entry.unwrap()));
        let mut kept: Vec<String> =
            kept.filter(|name| name.starts_with("ledger-") || name.starts_with("shards-")).collect();
        kept.sort();
        assert_eq!(kept.len(), 2, "{kept:?}");
        let damaged = cache.join(&kept[below(2)]);
        let mut bytes = std::fs::read(&damaged).unwrap();
        let at = below(bytes.len());
        match below(8) {
            0 => std::fs::remove_file(&damaged).unwrap(),
            1 => std::fs::write(&damaged, &bytes[..at]).unwrap(),
            2 => {
                bytes[at] ^= 1;
                std::fs::write(&damaged, &bytes).unwrap();
            }
            _ => {}
        }
        let path = format!("{}x.md", folders[below(5)]);
        if below(4) > 0 {
            tree.write(&path, &format!("# X\n\nAlways do number {}.\n", below(3)));
        } else {
            drop(std::fs::remove_file(tree.root.join(&path)));
        }
        lab::add_all(&tree.root);
        let committed = lab::commit(&tree.root, "a round").unwrap();
        // a command that changes nothing derives nothing
        if committed.commit.is_none() {
            tree.derive(Options::Refresh);
        }
        assert_eq!(tree.check(), [], "round {round}");
        let before = tree.derived();
        // regenerate everything without a cache, then continue with the new one
        let aside = cache.with_extension("aside");
        std::fs::rename(&cache, &aside).unwrap();
        tree.derive(Options::All);
        assert!(before == tree.derived(), "round {round}");
        std::fs::remove_dir_all(&cache).unwrap();
        std::fs::rename(&aside, &cache).unwrap();
    }
}

/// A tree with one entry in a folder, committed and derived.
fn small() -> Tree {
    let env = Env::new();
    let root = env.path("project/.brv/context-tree");
    let options =
        init::Options { initial_branch: "main".into(), host: HostRule::Exclude, home: init::TreeHome::Own };
    init::run(&context(&env.path("project")), &options).unwrap();
    let tree = Tree { _env: env, root };
    tree.write("d/a.md", "# Alpha\n\nAlways say alpha first.\n");
    tree.write("d/b.md", "# Beta\n\nAlways say beta second.\n");
    lab::add_all(&tree.root);
    lab::commit(&tree.root, "first").unwrap();
    tree
}

#[test]
fn after_a_derivation_that_ended_half_way_nothing_is_taken_for_fresh() {
    let tree = small();
    let before = tree.derived();
    // the folder can be derived, the root cannot
    std::fs::remove_file(tree.root.join("_index.md")).unwrap();
    tree.write("_index.md/in the way", "");
    tree.write("d/a.md", "# Gamma\n\nNever say gamma.\n");
    lab::add_all(&tree.root);
    let done = lab::commit(&tree.root, "second").unwrap();
    assert!(done.written.rewritten.outdated.is_some());
    assert!(tree.read("d/_index.md").contains("Gamma"));
    std::fs::remove_dir_all(tree.root.join("_index.md")).unwrap();
    tree._env.git(&tree.root, &["reset", "-q", "--hard", "HEAD~1"]);
    let options =
        init::Options { initial_branch: "main".into(), host: HostRule::Exclude, home: init::TreeHome::Own };
    init::run(&context(&tree.root), &options).unwrap().written.rewritten.derived.unwrap();
    assert!(tree.derived() == before);
    assert_eq!(tree.check(), []);
}

#[test]
fn an_edit_that_a_commit_left_out_is_derived_by_the_next_pull() {
    let tree = small();
    let team = tree._env.bare("team.git");
    tree._env.git(&tree.root, &["remote", "add", "origin", team.to_str().unwrap()]);
    tree._env.git(&tree.root, &["push", "-q", "-u", "origin", "main"]);
    tree.write("d/a.md", "# Gamma\n\nNever say gamma.\n");
    tree.write("d/b.md", "# Delta\n\nNever say delta.\n");
    tree._env.git(&tree.root, &["add", "d/b.md"]);
    lab::commit(&tree.root, "one of two").unwrap();
    tree._env.git(&tree.root, &["push", "-q"]);
    assert!(!tree.check().is_empty());
    let ran = tree._env.brv_in(&tree.root, &["vc", "pull"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(tree.check(), []);
}

/// The features of brv, in the words used in its entries.
const BUILT: [&str; 26] = [
    "op log",
    "op show",
    "undo",
    "reset",
    "restore",
    "revert",
    "gc",
    "blame",
    "schema",
    "brv config",
    "--atomic",
    "--force-with-lease",
    "--delete",
    "rewrite",
    "mass-delete",
    "rescue",
    "in-repo",
    "host remote",
    "src/text/merge",
    "by meaning",
    "merge driver",
    "signing",
    "secret",
    "team policy",
    "vc check",
    "hook",
];

#[test]
fn what_brv_knows_of_itself_names_files_that_are_there_and_denies_nothing_that_is_built() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = BTreeMap::new();
    collect(&root.join("fixtures/trees/brv"), &root.join("fixtures/trees/brv"), &mut files);
    let mut wrong = Vec::new();
    for (path, bytes) in &files {
        for line in std::str::from_utf8(bytes).unwrap().lines() {
            let words = line.split(|c: char| c.is_whitespace() || "`'\",;()|[]".contains(c));
            let named = words.map(|word| word.trim_end_matches(['.', ':']));
            let mut named =
                named.filter(|word| ["src/", "tests/", "fixtures/"].iter().any(|top| word.starts_with(top)));
            let gone = named.any(|word| !root.join(word).exists());
            let denied = line.contains("not built") && BUILT.iter().any(|what| line.contains(what));
            if gone || denied {
                wrong.push(format!("{path}: {line}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_file_of_an_older_form_is_made_anew() {
    let tree = Tree::about_brv();
    let now = tree.derived();
    let text = tree.read("traps/_index.md");
    let at = text.find("stamp: brv/").unwrap() + "stamp: ".len();
    // as an older brv left it: a valid stamp, and a key of its own format
    let blank = format!("{}brv/1 0123456789abcdef {}{}", &text[..at], "0".repeat(16), &text[at + 39..]);
    let sum = brv_base::content::ContentId::of(blank.as_bytes()).to_string();
    tree.write("traps/_index.md", &blank.replacen(&"0".repeat(16), &sum[..16], 1));
    std::fs::remove_dir_all(tree.root.join("../cache")).unwrap();
    assert_eq!(tree.check(), [("traps/_index.md".to_owned(), Why::Outdated)]);
    assert_eq!(names(&tree.derive(Options::Refresh).written), ["traps/_index.md"]);
    assert!(tree.derived() == now);
}
