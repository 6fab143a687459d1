//! A model of the disk after a power loss, built from the calls of a command. Unsynced changes may or may not be there.
//!
//! A sync of a file makes its bytes durable but not its name; a sync of a folder makes the names in it durable, and a
//! rename is durable in both folders or in neither. That is less than ext4, xfs and btrfs promise.

use super::calls::Call;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// What happens to unsynced changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CrashMode {
    /// Names and bytes are as before.
    Dropped,
    /// Names are there, but new bytes are not.
    Empty,
    /// Names and lengths are there, the new bytes are zeros.
    Zeros,
}

impl std::fmt::Display for CrashMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Dropped => "all dropped",
            Self::Empty => "files empty",
            Self::Zeros => "files of zeros",
        })
    }
}

/// The state found after the power loss.
pub struct State {
    /// How unsynced changes were lost.
    pub manner: CrashMode,
    /// The call after which the power was lost.
    pub behind: String,
    /// Whether the command had ended.
    pub is_last: bool,
    nodes: Nodes,
}

type Nodes = BTreeMap<PathBuf, Option<Vec<u8>>>;

impl State {
    /// Write this state to a folder, replacing it.
    pub fn write(&self, root: &Path) {
        let _ = std::fs::remove_dir_all(root);
        std::fs::create_dir_all(root).unwrap();
        for (path, bytes) in &self.nodes {
            match bytes {
                None => std::fs::create_dir_all(root.join(path)).unwrap(),
                Some(bytes) => std::fs::write(root.join(path), bytes).unwrap(),
            }
        }
        self.renumber(root);
    }

    /// The note about the index lock has the inode number of its file, which is different now.
    fn renumber(&self, root: &Path) {
        use std::os::unix::fs::MetadataExt as _;
        for (path, bytes) in self.nodes.iter().filter(|(path, _)| path.ends_with("brv/index.lock-owner")) {
            let note = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
            let lock = root.join(path).with_file_name("../index.lock");
            if note.split(' ').count() == 3
                && let Ok(stat) = lock.metadata()
            {
                let text = format!("{} {} {}", stat.dev(), stat.ino(), stat.mtime());
                std::fs::write(root.join(path), text).unwrap();
            }
        }
    }
}

/// The states possible after each call, each once. `before` is the initial state of `root`.
pub fn states(before: &Path, root: &Path, calls: &[Call]) -> Vec<State> {
    let mut disk = Disk::load(before, root);
    let (mut seen, mut states) = (HashSet::new(), Vec::new());
    let last = calls.len().saturating_sub(1);
    for (at, call) in calls.iter().enumerate() {
        if !disk.play(call) && at != last {
            continue;
        }
        for manner in [CrashMode::Dropped, CrashMode::Empty, CrashMode::Zeros] {
            let nodes = disk.nodes(manner);
            let mut hasher = DefaultHasher::new();
            nodes.hash(&mut hasher);
            let is_last = at == last;
            if seen.insert(hasher.finish()) || is_last {
                states.push(State { manner, behind: call.shown(), is_last, nodes });
            }
        }
    }
    states
}

/// Whether the model ends in the same state as the command.
pub fn check(before: &Path, root: &Path, calls: &[Call]) -> Result<(), String> {
    let mut disk = Disk::load(before, root);
    for call in calls {
        disk.play(call);
    }
    let mut modelled = Nodes::new();
    disk.walk(0, Path::new(""), &|_| View::Now, &mut modelled);
    let mut there = Nodes::new();
    list(root, root, &mut there);
    // what git does to the remote's repository is not modelled completely, nor memory that SQLite shares
    let is_modelled = |name: &str| !name.starts_with("team.git") && !name.contains("brv/state.db");
    modelled.retain(|name, _| is_modelled(&name.to_string_lossy()));
    there.retain(|name, _| is_modelled(&name.to_string_lossy()));
    let names = modelled.keys().chain(there.keys());
    match names.into_iter().find(|name| modelled.get(*name) != there.get(*name)) {
        None => Ok(()),
        Some(name) => Err(format!(
            "{}: the model has {:?}, the disk {:?}",
            name.display(),
            modelled.get(name).map(|bytes| bytes.as_ref().map(Vec::len)),
            there.get(name).map(|bytes| bytes.as_ref().map(Vec::len))
        )),
    }
}

fn list(root: &Path, folder: &Path, nodes: &mut Nodes) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_path_buf();
        if path.is_dir() {
            nodes.insert(name, None);
            list(root, &path, nodes);
        } else {
            nodes.insert(name, Some(std::fs::read(&path).unwrap()));
        }
    }
}

enum Inode {
    File { now: Vec<u8>, safe: Vec<u8> },
    Folder { now: BTreeMap<OsString, usize>, safe: BTreeMap<OsString, usize> },
}

/// A name in a folder is set or removed.
type Step = (usize, OsString, Option<usize>);

#[derive(Clone, Copy)]
enum View {
    Now,
    Lost(CrashMode),
}

struct Disk {
    root: PathBuf,
    inodes: Vec<Inode>,
    /// Changes of names that no sync has reached, in order; those of one entry belong together.
    pending: Vec<Vec<Step>>,
    /// The next write position of a descriptor.
    positions: HashMap<(i64, usize), usize>,
    appending: HashSet<(i64, usize)>,
}

impl Disk {
    fn load(before: &Path, root: &Path) -> Self {
        let folder = || Inode::Folder { now: BTreeMap::new(), safe: BTreeMap::new() };
        let mut disk = Self {
            root: root.to_path_buf(),
            inodes: vec![folder()],
            pending: Vec::new(),
            positions: HashMap::new(),
            appending: HashSet::new(),
        };
        let mut nodes = Nodes::new();
        list(before, before, &mut nodes);
        for (path, bytes) in nodes {
            let inode = bytes.map_or_else(folder, |bytes| Inode::File { now: bytes.clone(), safe: bytes });
            let (parent, name) = disk.place(&root.join(path)).expect("folders come first");
            disk.inodes.push(inode);
            disk.apply(vec![(parent, name, Some(disk.inodes.len() - 1))]);
        }
        disk.sync_all();
        disk
    }

    fn find(&self, path: &Path) -> Option<usize> {
        path.strip_prefix(&self.root).ok()?.components().try_fold(0, |inode, part| match part {
            std::path::Component::Normal(name) => match &self.inodes[inode] {
                Inode::Folder { now, .. } => now.get(name).copied(),
                Inode::File { .. } => None,
            },
            std::path::Component::CurDir => Some(inode),
            _ => None,
        })
    }

    /// The parent folder of a path, and the name in it.
    fn place(&self, path: &Path) -> Option<(usize, OsString)> {
        Some((self.find(path.parent()?)?, path.file_name()?.to_os_string()))
    }

    fn apply(&mut self, steps: Vec<Step>) {
        for (folder, name, inode) in &steps {
            if let Inode::Folder { now, .. } = &mut self.inodes[*folder] {
                match inode {
                    Some(inode) => drop(now.insert(name.clone(), *inode)),
                    None => drop(now.remove(name)),
                }
            }
        }
        self.pending.push(steps);
    }

    fn make_safe(&mut self, steps: Vec<Step>) {
        for (folder, name, inode) in steps {
            if let Inode::Folder { safe, .. } = &mut self.inodes[folder] {
                match inode {
                    Some(inode) => drop(safe.insert(name, inode)),
                    None => drop(safe.remove(&name)),
                }
            }
        }
    }

    fn sync(&mut self, inode: usize) {
        if let Inode::File { now, safe } = &mut self.inodes[inode] {
            safe.clone_from(now);
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        for steps in pending {
            if steps.iter().any(|(folder, ..)| *folder == inode) {
                self.make_safe(steps);
            } else {
                self.pending.push(steps);
            }
        }
    }

    fn sync_all(&mut self) {
        for steps in std::mem::take(&mut self.pending) {
            self.make_safe(steps);
        }
        for inode in &mut self.inodes {
            if let Inode::File { now, safe } = inode {
                safe.clone_from(now);
            }
        }
    }

    /// Apply a call. Returns whether the state may have changed.
    fn play(&mut self, call: &Call) -> bool {
        let Some(result) = call.result else { return false };
        self.play_done(call, result).is_some()
    }

    fn play_done(&mut self, call: &Call, result: i64) -> Option<()> {
        match call.name.as_str() {
            "openat" => return self.open(call, result),
            "mkdir" => self.make_folder(&call.path(0, false))?,
            "mkdirat" => self.make_folder(&call.path(1, true))?,
            "unlink" | "rmdir" => self.remove(&call.path(0, false))?,
            "unlinkat" => self.remove(&call.path(1, true))?,
            "rename" => self.rename(&call.path(0, false), &call.path(1, false))?,
            "renameat2" if call.has_flag("RENAME_EXCHANGE") => {
                self.exchange(&call.path(1, true), &call.path(3, true))?;
            }
            "renameat" | "renameat2" => self.rename(&call.path(1, true), &call.path(3, true))?,
            "link" => self.link(&call.path(0, false), &call.path(1, false))?,
            "linkat" => self.link(&call.path(1, true), &call.path(3, true))?,
            "fsync" | "fdatasync" => self.sync(self.find(&call.file(0)?.1)?),
            "syncfs" => {
                call.file(0)?.1.starts_with(&self.root).then_some(())?;
                self.sync_all();
            }
            _ => return self.play_bytes(call, result),
        }
        Some(())
    }

    fn play_bytes(&mut self, call: &Call, result: i64) -> Option<()> {
        let (number, path) = call.file(0)?;
        let inode = self.find(&path)?;
        let length = usize::try_from(result).ok()?;
        let at = *self.positions.entry((number, inode)).or_default();
        let is_appending = self.appending.contains(&(number, inode));
        let Inode::File { now, .. } = &mut self.inodes[inode] else { return None };
        match call.name.as_str() {
            "read" => {
                self.positions.insert((number, inode), at + length);
                return None;
            }
            "lseek" => {
                self.positions.insert((number, inode), length);
                return None;
            }
            "write" => {
                let at = if is_appending { now.len() } else { at };
                put(now, at, &call.bytes(1)[..length]);
                self.positions.insert((number, inode), at + length);
            }
            "pwrite64" => put(now, call.arguments[3].parse().ok()?, &call.bytes(1)[..length]),
            "ftruncate" => now.resize(call.arguments[1].parse().ok()?, 0),
            "chmod" | "fchmod" | "fchmodat" => return None,
            other => panic!("the model does not know `{other}`"),
        }
        Some(())
    }

    fn open(&mut self, call: &Call, number: i64) -> Option<()> {
        let path = call.path(1, true);
        if !call.is_writing() || call.has_flag("O_TMPFILE") {
            let inode = self.find(&path)?;
            self.positions.insert((number, inode), 0);
            return None;
        }
        let place = self.place(&path)?;
        let found = self.find(&path);
        let inode = found.unwrap_or_else(|| {
            self.inodes.push(Inode::File { now: Vec::new(), safe: Vec::new() });
            self.inodes.len() - 1
        });
        if found.is_none() {
            self.apply(vec![(place.0, place.1, Some(inode))]);
        }
        self.positions.insert((number, inode), 0);
        self.appending.remove(&(number, inode));
        if call.has_flag("O_APPEND") {
            self.appending.insert((number, inode));
        }
        if let (true, Inode::File { now, .. }) = (call.has_flag("O_TRUNC"), &mut self.inodes[inode]) {
            now.clear();
        }
        Some(())
    }

    fn make_folder(&mut self, path: &Path) -> Option<()> {
        let (folder, name) = self.place(path)?;
        self.inodes.push(Inode::Folder { now: BTreeMap::new(), safe: BTreeMap::new() });
        self.apply(vec![(folder, name, Some(self.inodes.len() - 1))]);
        Some(())
    }

    fn remove(&mut self, path: &Path) -> Option<()> {
        let (folder, name) = self.place(path)?;
        self.apply(vec![(folder, name, None)]);
        Some(())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> Option<()> {
        let inode = self.find(from)?;
        let (old, new) = (self.place(from)?, self.place(to)?);
        self.apply(vec![(old.0, old.1, None), (new.0, new.1, Some(inode))]);
        Some(())
    }

    fn exchange(&mut self, one: &Path, other: &Path) -> Option<()> {
        let (first, second) = (self.find(one)?, self.find(other)?);
        let (one, other) = (self.place(one)?, self.place(other)?);
        self.apply(vec![(one.0, one.1, Some(second)), (other.0, other.1, Some(first))]);
        Some(())
    }

    fn link(&mut self, from: &Path, to: &Path) -> Option<()> {
        let inode = self.find(from)?;
        let (folder, name) = self.place(to)?;
        self.apply(vec![(folder, name, Some(inode))]);
        Some(())
    }

    fn nodes(&self, manner: CrashMode) -> Nodes {
        let mut nodes = Nodes::new();
        // the remote's disk is not lost with ours
        let view = |path: &Path| if path.starts_with("team.git") { View::Now } else { View::Lost(manner) };
        self.walk(0, Path::new(""), &view, &mut nodes);
        nodes
    }

    fn walk(&self, inode: usize, path: &Path, view: &dyn Fn(&Path) -> View, nodes: &mut Nodes) {
        match &self.inodes[inode] {
            Inode::Folder { now, safe } => {
                if !path.as_os_str().is_empty() {
                    nodes.insert(path.to_path_buf(), None);
                }
                let names = if matches!(view(path), View::Lost(CrashMode::Dropped)) { safe } else { now };
                for (name, inode) in names {
                    self.walk(*inode, &path.join(name), view, nodes);
                }
            }
            Inode::File { now, safe } => {
                let bytes = match view(path) {
                    View::Now => now.clone(),
                    View::Lost(manner) => lost(now, safe, manner),
                };
                nodes.insert(path.to_path_buf(), Some(bytes));
            }
        }
    }
}

fn lost(now: &[u8], safe: &[u8], manner: CrashMode) -> Vec<u8> {
    let kept = if now.starts_with(safe) { safe } else { b"" };
    match manner {
        CrashMode::Dropped => safe.to_vec(),
        CrashMode::Empty => kept.to_vec(),
        CrashMode::Zeros => {
            let mut bytes = kept.to_vec();
            bytes.resize(now.len(), 0);
            bytes
        }
    }
}

fn put(bytes: &mut Vec<u8>, at: usize, new: &[u8]) {
    if bytes.len() < at + new.len() {
        bytes.resize(at + new.len(), 0);
    }
    bytes[at..at + new.len()].copy_from_slice(new);
}
