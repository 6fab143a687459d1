//! The walls between the crates, as cargo sees them: what each is built with, all the way down.

use super::source::{files, own_crate};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Beginnings of the names of crates that are a runtime, a database, an index, or a client of the network.
const HEAVY: [&str; 12] = [
    "async-",
    "futures",
    "h2",
    "hyper",
    "libsqlite3",
    "mio",
    "reqwest",
    "rusqlite",
    "rustls",
    "socket2",
    "tantivy",
    "tokio",
];

#[test]
fn text_is_built_without_a_runtime_a_database_an_index_or_a_client() {
    for package in ["brv-base", "brv-text"] {
        refuse(package, &HEAVY);
    }
}

/// The identity of bytes is git's, and lines are merged as git does: nothing of a repository.
#[test]
fn text_knows_of_gitoxide_only_how_bytes_are_named_and_lines_compared() {
    let of_gitoxide = |names: BTreeSet<String>| names.into_iter().filter(|name| name.starts_with("gix"));
    let direct = tree("brv-text", &["--depth", "1"]).into_iter().chain(tree("brv-base", &["--depth", "1"]));
    let direct: Vec<String> = of_gitoxide(direct.collect()).collect();
    assert_eq!(direct, ["gix-hash", "gix-imara-diff", "gix-object"]);
    let all: Vec<String> = of_gitoxide(tree("brv-text", &[])).collect();
    let of_repositories =
        ["gix", "gix-odb", "gix-pack", "gix-ref", "gix-index", "gix-protocol", "gix-transport"];
    assert!(all.iter().all(|name| !of_repositories.contains(&name.as_str())), "{all:?}");
}

#[test]
fn git_is_built_without_markdown() {
    refuse("brv-git", &["brv-text", "pulldown-cmark", "comrak", "markdown"]);
}

#[test]
fn what_is_below_the_surfaces_is_built_without_their_crates() {
    refuse("brv-search", &["gix-odb", "rusqlite", "reqwest"]);
    refuse("brv-engine", &["brv-commands", "clap", "rmcp", "indicatif"]);
    refuse("brv-commands", &["clap", "rmcp", "indicatif"]);
}

/// A package holds only what is in its folder; tests alone may read elsewhere.
#[test]
fn no_member_reaches_out_of_its_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    for file in files().iter().filter(|file| !own_crate(&file.module).is_empty()) {
        let member = root.join("src").join(&file.module[0]);
        let folder = root.join(&file.name).parent().unwrap().to_owned();
        for line in &file.lines {
            let reads = ["include_str!(\"", "include_bytes!(\"", "include!(\"", "#[path = \""];
            let read = reads.iter().find_map(|call| line.split(call).nth(1)?.split('"').next());
            let target = read.map(|path| folder.join(path).canonicalize().unwrap_or_default());
            if target.is_some_and(|target| !target.starts_with(member.canonicalize().unwrap())) {
                faults.push(format!("{}: {}", file.name, line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Fail if the package is built with a crate whose name begins so.
fn refuse(package: &str, beginnings: &[&str]) {
    let built = tree(package, &[]);
    let found: Vec<&String> =
        built.iter().filter(|name| beginnings.iter().any(|start| name.starts_with(start))).collect();
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
