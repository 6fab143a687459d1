//! The walls between the crates, as cargo sees them: what each is built with, all the way down.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Crates that are a runtime, a database, an index, a client of the network, or gitoxide's repository.
const HEAVY: [&str; 12] = [
    "tokio",
    "rusqlite",
    "libsqlite3-sys",
    "tantivy",
    "tantivy-fst",
    "reqwest",
    "hyper",
    "rustls",
    "gix",
    "gix-odb",
    "gix-ref",
    "gix-transport",
];

#[test]
fn text_is_built_without_a_runtime_a_database_an_index_or_a_client() {
    for package in ["brv-base", "brv-text"] {
        refuse(package, &HEAVY);
        refuse(package, &["brv-git", "brv-search", "brv-engine", "brv-commands"]);
    }
}

/// The identity of bytes is git's, and lines are merged as git does: nothing else of gitoxide.
#[test]
fn text_knows_of_gitoxide_only_how_bytes_are_named_and_lines_compared() {
    let direct = tree("brv-text", &["--depth", "1"]).into_iter().chain(tree("brv-base", &["--depth", "1"]));
    let direct: BTreeSet<String> = direct.filter(|name| name.starts_with("gix")).collect();
    assert_eq!(direct.into_iter().collect::<Vec<_>>(), ["gix-hash", "gix-imara-diff", "gix-object"]);
}

#[test]
fn git_is_built_without_markdown() {
    refuse("brv-git", &["brv-text", "pulldown-cmark", "brv-search", "brv-engine", "brv-commands"]);
}

#[test]
fn the_engine_and_the_search_are_built_without_what_stands_above_them() {
    refuse("brv-search", &["brv-git", "brv-engine", "brv-commands", "rusqlite", "reqwest", "gix"]);
    refuse("brv-engine", &["brv-commands", "clap", "rmcp"]);
    refuse("brv-commands", &["brv", "clap", "rmcp", "indicatif"]);
}

/// Fail if the package is built with one of these.
fn refuse(package: &str, names: &[&str]) {
    let built = tree(package, &[]);
    let found: Vec<&&str> = names.iter().filter(|name| built.contains(**name)).collect();
    assert!(found.is_empty(), "{package} is built with {found:?}: `cargo tree -p {package} -i {}`", found[0]);
}

/// The names of the packages that `package` is built with, itself left out; without what only its tests use.
fn tree(package: &str, more: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p}", "--package", package])
        .args(more)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let names: BTreeSet<String> =
        text.lines().filter_map(|line| line.split(' ').next()).map(ToOwned::to_owned).collect();
    assert!(names.contains(package), "{package} is in its own tree");
    names.into_iter().filter(|name| name != package).collect()
}
