//! Write a repository without any tool, as loose objects in git's format, so that every tool can read them.

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha1::{Digest as _, Sha1};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::rc::Rc;

/// The id of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub [u8; 20]);

impl Id {
    /// Parse 40 hexadecimal digits.
    pub fn from_hex(hex: &str) -> Self {
        Self(std::array::from_fn(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap()))
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The names in one folder, each with whether it is itself a folder.
type Folder = Vec<(String, bool, Id)>;

/// The files of a tree by path.
pub type Files = BTreeMap<String, Id>;

/// The objects of one repository.
pub struct Store {
    objects: PathBuf,
    written: HashSet<Id>,
    blobs: HashMap<Id, Rc<str>>,
    folders: HashMap<Id, Rc<Folder>>,
}

impl Store {
    /// The store in a folder that contains `objects`.
    pub fn new(git_dir: PathBuf) -> Self {
        let objects = git_dir.join("objects");
        Self { objects, written: HashSet::new(), blobs: HashMap::new(), folders: HashMap::new() }
    }

    fn write(&mut self, kind: &str, bytes: &[u8]) -> Id {
        let header = format!("{kind} {}\0", bytes.len());
        let id = Id(Sha1::new().chain_update(&header).chain_update(bytes).finalize().into());
        if self.written.insert(id) {
            let hex = id.to_string();
            let path = self.objects.join(&hex[..2]).join(&hex[2..]);
            if !path.exists() {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::none());
                encoder.write_all(header.as_bytes()).unwrap();
                encoder.write_all(bytes).unwrap();
                std::fs::write(path, encoder.finish().unwrap()).unwrap();
            }
        }
        id
    }

    fn read(&self, id: Id) -> Vec<u8> {
        let hex = id.to_string();
        let file = std::fs::read(self.objects.join(&hex[..2]).join(&hex[2..])).unwrap();
        let mut bytes = Vec::new();
        ZlibDecoder::new(&file[..]).read_to_end(&mut bytes).unwrap();
        let start = bytes.iter().position(|byte| *byte == 0).unwrap() + 1;
        bytes.split_off(start)
    }

    /// Store a text.
    pub fn add(&mut self, text: &str) -> Id {
        let id = self.write("blob", text.as_bytes());
        self.blobs.entry(id).or_insert_with(|| text.into());
        id
    }

    /// Whether it was stored or read before.
    pub fn has(&self, id: Id) -> bool {
        self.blobs.contains_key(&id)
    }

    /// The text of a blob.
    pub fn text(&mut self, id: Id) -> Rc<str> {
        if let Some(text) = self.blobs.get(&id) {
            return Rc::clone(text);
        }
        let text: Rc<str> = String::from_utf8(self.read(id)).unwrap().into();
        self.blobs.insert(id, Rc::clone(&text));
        text
    }

    /// Store a tree.
    pub fn add_tree(&mut self, files: &Files) -> Id {
        let all: Vec<(&str, Id)> = files.iter().map(|(path, id)| (path.as_str(), *id)).collect();
        self.add_folder(&all)
    }

    fn add_folder(&mut self, files: &[(&str, Id)]) -> Id {
        let mut inner: BTreeMap<&str, Vec<(&str, Id)>> = BTreeMap::new();
        let mut entries = Folder::new();
        for (path, id) in files {
            match path.split_once('/') {
                Some((folder, rest)) => inner.entry(folder).or_default().push((rest, *id)),
                None => entries.push(((*path).to_owned(), false, *id)),
            }
        }
        for (name, files) in inner {
            let id = self.add_folder(&files);
            entries.push((name.to_owned(), true, id));
        }
        // git orders folders as if their names ended with a slash
        let order = |(name, is_folder, _): &(String, bool, Id)| {
            if *is_folder { format!("{name}/") } else { name.clone() }
        };
        entries.sort_by_key(order);
        let mut bytes = Vec::new();
        for (name, is_folder, id) in entries {
            write!(bytes, "{} {name}\0", if is_folder { "40000" } else { "100644" }).unwrap();
            bytes.extend_from_slice(&id.0);
        }
        self.write("tree", &bytes)
    }

    /// The files of a tree.
    pub fn files(&mut self, tree: Id) -> Files {
        let mut files = Files::new();
        self.list(tree, "", &mut files);
        files
    }

    fn list(&mut self, tree: Id, prefix: &str, files: &mut Files) {
        if !self.folders.contains_key(&tree) {
            let folder = Rc::new(entries(&self.read(tree)));
            self.folders.insert(tree, folder);
        }
        let folder = Rc::clone(&self.folders[&tree]);
        for (name, is_folder, id) in folder.iter() {
            let path = format!("{prefix}{name}");
            if *is_folder {
                self.list(*id, &(path + "/"), files);
            } else {
                files.insert(path, *id);
            }
        }
    }

    /// Store a commit.
    pub fn add_commit(&mut self, tree: Id, parents: &[Id], time: u64) -> Id {
        let parents = parents.iter().fold(String::new(), |text, id| text + &format!("parent {id}\n"));
        let who = format!("Ada <ada@example.com> {time} +0000");
        self.write(
            "commit",
            format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\nedit\n").as_bytes(),
        )
    }
}

fn entries(mut bytes: &[u8]) -> Folder {
    let mut found = Folder::new();
    while !bytes.is_empty() {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap();
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let (mode, name) = head.split_once(' ').unwrap();
        found.push((name.to_owned(), mode == "40000", Id(bytes[end + 1..end + 21].try_into().unwrap())));
        bytes = &bytes[end + 21..];
    }
    found
}
