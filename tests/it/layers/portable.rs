//! Every file of this repository can be checked out on every system: the rules of BRV013, for our own paths.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_path_of_the_sources_is_portable() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = tracked(root).unwrap_or_else(|| {
        println!("no git checkout: the files on disk are checked");
        on_disk(root)
    });
    assert!(paths.len() > 1000, "the sources are found");
    let mut folded: BTreeMap<String, &String> = BTreeMap::new();
    let mut faults = Vec::new();
    for path in &paths {
        if let Err(why) = brv_base::path::check(path.as_bytes()) {
            faults.push(format!("{path}: {why}"));
        }
        if let Some(other) = folded.insert(path.to_lowercase(), path) {
            faults.push(format!("{path}: differs from {other} only in case"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The files that git tracks; `None` where the sources are not a checkout, as in a package.
fn tracked(root: &Path) -> Option<Vec<String>> {
    root.join(".git").exists().then_some(())?;
    let output = Command::new(crate::env::program("git")?)
        .env_clear()
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .current_dir(root)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let paths: Vec<String> = text.split_terminator('\0').map(ToOwned::to_owned).collect();
    output.status.success().then_some(paths)
}

/// The files below a folder, but for what is built.
fn on_disk(root: &Path) -> Vec<String> {
    let (mut folders, mut paths) = (vec![root.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let below: PathBuf = path.strip_prefix(root).unwrap().into();
            match path.is_dir() {
                true if below == Path::new("target") => {}
                true => folders.push(path),
                false => paths.push(below.to_str().unwrap().replace('\\', "/")),
            }
        }
    }
    paths
}
