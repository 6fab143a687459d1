//! Which entries a search marks, since a change of theirs waits for review.
//!
//! Kept in one small file, with what tells that it is out of date: where `HEAD` and its upstream are, and when the
//! references of operations and remotes last changed. A decision removes the file. That it is lost, or cannot be written,
//! costs time only.

use super::{marks_file, published};
use crate::Stop;
use crate::open::context::Opened;
use crate::review::status::{ReviewExtent, read};
use brv_base::fs::{self, Durability, Form};
use brv_base::path::ArchivePaths;
use brv_git as git;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The reasons why a change of an entry waits, by path.
pub type Marks = BTreeMap<String, Vec<String>>;

const VERSION: u32 = 2;

#[derive(Serialize, Deserialize)]
struct ReviewReasonsFile {
    version: u32,
    key: String,
    marks: Marks,
}

/// The marks of all entries; none if it cannot be found out, which commands about reviews report.
pub fn marks(opened: &Opened) -> Marks {
    let Ok(key) = key(opened) else { return Marks::new() };
    let bytes = fs::read_shipped(&marks_file(opened), Form::Json).ok().flatten().unwrap_or_default();
    let found = serde_json::from_slice::<ReviewReasonsFile>(&bytes).ok();
    if let Some(found) = found.filter(|found| found.version == VERSION && found.key == key) {
        return found.marks;
    }
    let Ok(marks) = compute(opened) else { return Marks::new() };
    let file_of_all = ReviewReasonsFile { version: VERSION, key, marks };
    if let Ok(bytes) = serde_json::to_vec(&file_of_all) {
        let _ = fs::replace(&marks_file(opened), &bytes, Durability::Later);
    }
    file_of_all.marks
}

fn compute(opened: &Opened) -> Result<Marks, Stop> {
    let mut marks = Marks::new();
    for flag in read(opened, ReviewExtent::Outgoing)?.pending() {
        let path = flag.path.to_string();
        // an archived entry is found by its stub
        let stub =
            ArchivePaths::of(&path).filter(|_| flag.says("archived")).map(|paths| paths.stub.to_string());
        for path in stub.into_iter().chain([path]) {
            let of_path = marks.entry(path).or_default();
            let new: Vec<String> = flag.why.iter().filter(|why| !of_path.contains(why)).cloned().collect();
            of_path.extend(new);
        }
    }
    Ok(marks)
}

fn key(opened: &Opened) -> Result<String, Stop> {
    let scope = &opened.scope;
    let head: git::Head = scope.head()?;
    let tracked = published::tracked_by(scope, &head)?;
    let common = scope.common_dir();
    let mut key = format!("{:?} {tracked:?}", (head.branch(), head.commit()));
    for path in ["packed-refs", "refs/brv/ops", "refs/remotes"] {
        key.push_str(&stat(&common.join(path)));
    }
    if let Some((remote, _)) = &tracked {
        key.push_str(&stat(&common.join("refs/remotes").join(remote)));
    }
    Ok(key)
}

/// When a file or folder was last changed, and what tells it from another one.
fn stat(path: &Path) -> String {
    format!(" {:?}", fs::stat(path).ok().flatten())
}
