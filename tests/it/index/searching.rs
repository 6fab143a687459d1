//! What is asked of an index: `brv index search`, `status`, `check`, `drop` and the tool of agents, by the real program, from
//! real repositories, against the strict engine.

mod agents;
mod checking;
mod figures;
mod foreign;
mod local_order;
mod mine;
mod refused;
mod rows;
mod shown;
mod trees;

use super::engine::{Engine, Family};
use crate::env::{Env, Ran};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Trees with remotes of their own, and an engine whose index has them.
pub struct Organisation {
    pub env: Env,
    pub engine: Engine,
}

/// A path of a tree and its text.
type TreeFile = (String, String);

impl Organisation {
    /// An engine without an index, which the settings name.
    pub fn new() -> Self {
        Self::within(Env::new())
    }

    fn within(env: Env) -> Self {
        let organisation = Self { env, engine: Engine::start(Family::OpenSearch) };
        organisation.name_engine(&organisation.engine.url);
        organisation
    }

    /// The same with these trees, pushed.
    pub fn of(trees: &[(&str, Vec<TreeFile>)]) -> Self {
        Self::new().having(trees)
    }

    /// The same at another time.
    pub fn at(time: &str, trees: &[(&str, Vec<TreeFile>)]) -> Self {
        Self::within(Env::new().with("BRV_CLOCK", time)).having(trees)
    }

    fn having(self, trees: &[(&str, Vec<TreeFile>)]) -> Self {
        let organisation = self;
        trees.iter().for_each(|(name, files)| organisation.add(name, files));
        organisation.push();
        organisation
    }

    /// A small one: two trees, four entries.
    pub fn small() -> Self {
        Self::of(&[
            (
                "payments",
                vec![
                    entry("retries/card.md", "Card retries", "Cards are retried twice, never on Mondays."),
                    entry("retries/limits.md", "Limits", "The gateway allows forty calls in a minute."),
                ],
            ),
            (
                "shop",
                vec![
                    entry("carts/expiry.md", "Expiry of carts", "A cart is kept for nine days."),
                    entry(
                        "carts/merging.md",
                        "Merging",
                        "Carts of two devices are merged by the newest item.",
                    ),
                ],
            ),
        ])
    }

    /// Let the settings name this engine.
    pub fn name_engine(&self, url: &str) {
        let ran = self.env.brv(&["config", "set", "index.engine", url]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }

    /// The repository of a tree.
    pub fn remote(&self, name: &str) -> PathBuf {
        self.env.path(format!("remotes/{}", name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")))
    }

    /// A line of the list, with a repository that has these files.
    pub fn add(&self, name: &str, files: &[TreeFile]) {
        let remote = self.remote(name);
        std::fs::create_dir_all(&remote).unwrap();
        self.env.git(&remote, &["init", "-q"]);
        self.edit(name, files);
        let list = self.env.path("trees.txt");
        let before = std::fs::read_to_string(&list).unwrap_or_default();
        std::fs::write(&list, format!("{before}{} - - {name}\n", remote.display())).unwrap();
    }

    /// Commit these files to a tree; returns the commit.
    pub fn edit(&self, name: &str, files: &[TreeFile]) -> String {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        self.env.commit(&self.remote(name), &files)
    }

    pub fn push(&self) -> Value {
        let (ran, data) = self.data(&["index", "push", "--remotes", "trees.txt"]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        data
    }

    /// Run with `--json`; the run and its data.
    pub fn data(&self, arguments: &[&str]) -> (Ran, Value) {
        let ran = self.env.brv(&[arguments, &["--json"]].concat());
        let data = envelope(&ran)["data"].clone();
        (ran, data)
    }

    /// A search that must succeed.
    pub fn search(&self, arguments: &[&str]) -> Value {
        let (ran, data) = self.data(&[&["index", "search"], arguments].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        data
    }

    /// A command that must fail with this code; its message and hint.
    pub fn refused(&self, code: i32, arguments: &[&str]) -> String {
        let (ran, _) = self.data(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        let error = &envelope(&ran)["error"];
        format!(
            "{} {}",
            error["message"].as_str().unwrap_or_default(),
            error["hint"].as_str().unwrap_or_default()
        )
    }
}

/// What a command printed with `--json`.
pub fn envelope(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr))
}

/// An entry with a title, which changed in May 2023.
pub fn entry(path: &str, title: &str, text: &str) -> TreeFile {
    let head = format!("---\ntitle: \"{title}\"\nupdatedAt: \"2023-05-01T00:00:00Z\"\n---\n");
    (path.into(), format!("{head}{text}\n"))
}

/// Tree and path of each row.
pub fn places(data: &Value) -> Vec<String> {
    let rows = data["results"].as_array().unwrap_or_else(|| panic!("{data}"));
    let place = |row: &Value| format!("{}/{}", row["tree"].as_str().unwrap(), row["path"].as_str().unwrap());
    rows.iter().map(place).collect()
}

/// The files of a tree of the fixtures. An overview of the whole tree would be that of a folder elsewhere.
pub fn fixture(name: &str) -> Vec<TreeFile> {
    fn walk(root: &Path, folder: &Path, files: &mut Vec<TreeFile>) {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                walk(root, &path, files);
                continue;
            }
            let below = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            if below.contains('/') && below.ends_with(".md") {
                files.push((below, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees").join(name);
    let mut files = Vec::new();
    walk(&root, &root, &mut files);
    files
}
