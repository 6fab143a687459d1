//! Looks whether something changed since the last look, at little cost: for those who keep a picture of the tree.

use brv_base::environment::Environment;
use brv_engine::open::context::places_of;
use brv_engine::open::state::StatePlace;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What shows that a commit, a switch, an index or an operation was written, below the folder of git.
const OF_GIT: [&str; 5] = ["HEAD", "index", "logs/HEAD", "packed-refs", "refs/brv/ops"];

/// The folders to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    tree: PathBuf,
    git: PathBuf,
    common: PathBuf,
    state: Option<PathBuf>,
}

/// What a look saw; a part that was not looked at is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WatchSnapshot {
    repository: Option<u64>,
    files: Option<u64>,
}

impl WatchSnapshot {
    /// Whether a part that both looked at has changed.
    pub fn differs(&self, then: &Self) -> bool {
        let differ =
            |now: Option<u64>, then: Option<u64>| now.zip(then).is_some_and(|(now, then)| now != then);
        differ(self.repository, then.repository) || differ(self.files, then.files)
    }

    /// This look, with what an earlier one saw of the rest.
    pub fn over(self, then: Self) -> Self {
        Self { repository: self.repository.or(then.repository), files: self.files.or(then.files) }
    }
}

impl Watch {
    /// The tree of this folder; `None` if there is none.
    pub fn of(root: &Path, environment: &Environment) -> Option<Self> {
        let (places, scope) = places_of(root, environment)?;
        let state = StatePlace::of(&places, environment).ok().map(|place| place.file);
        let (git, common) = (scope.git_dir().to_path_buf(), scope.common_dir().to_path_buf());
        Some(Self { tree: places.tree(), git, common, state })
    }

    /// The state of the branch, the index, the operations and the reviews; with `files` that of all files, too.
    pub fn tree(&self, files: bool) -> WatchSnapshot {
        let mut hasher = DefaultHasher::new();
        for folder in [&self.git, &self.common] {
            OF_GIT.iter().for_each(|name| stamp(std::fs::metadata(folder.join(name)).ok(), &mut hasher));
        }
        if let Some(file) = &self.state {
            stamp(std::fs::metadata(file).ok(), &mut hasher);
            // where another process has it open, what was written stands beside it
            stamp(std::fs::metadata(file.with_extension("db-wal")).ok(), &mut hasher);
        }
        WatchSnapshot { repository: Some(hasher.finish()), files: files.then(|| walk(&self.tree)) }
    }

    /// A word that is another one when the branch, the index, the operations or the reviews changed, or this entry or folder.
    pub fn word(&self, path: &str) -> String {
        let mut hasher = DefaultHasher::new();
        [self.tree(false).repository, self.entry(path).repository].hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// The state of one entry or folder.
    pub fn entry(&self, path: &str) -> WatchSnapshot {
        let mut hasher = DefaultHasher::new();
        stamp(std::fs::metadata(self.tree.join(path)).ok(), &mut hasher);
        WatchSnapshot { repository: Some(hasher.finish()), files: None }
    }
}

fn stamp(metadata: Option<Metadata>, hasher: &mut DefaultHasher) {
    let Some(metadata) = metadata else { return 0_u8.hash(hasher) };
    metadata.len().hash(hasher);
    let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    time.map(|time| time.as_nanos()).hash(hasher);
}

/// Sizes and times of all markdown files, whatever their order.
fn walk(folder: &Path) -> u64 {
    let Ok(names) = std::fs::read_dir(folder) else { return 0 };
    let mut all = 0_u64;
    for name in names.flatten() {
        let (path, kind) = (name.path(), name.file_type());
        let is_hidden = name.file_name().as_encoded_bytes().starts_with(b".");
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) && !is_hidden {
            all = all.wrapping_add(walk(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let mut hasher = DefaultHasher::new();
            path.hash(&mut hasher);
            stamp(name.metadata().ok(), &mut hasher);
            all = all.wrapping_add(hasher.finish());
        }
    }
    all
}
