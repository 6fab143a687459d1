//! The pages of `brv ui`: outcomes of commands in, HTML out.
//!
//! Nothing here runs a command, reads a file or knows a connection. No page has a style or a script of its own: both are files
//! of the site.

mod changed;
pub mod changes;
mod comments;
pub mod door;
pub mod entry;
mod facts;
pub mod files;
pub mod form;
pub mod frame;
pub mod home;
pub mod links;
mod markdown;
pub mod past;
pub mod problem;
pub mod refused;
pub mod review;
pub mod search;
pub mod still;
pub mod tree;
pub mod view;
pub mod why;

use crate::say::page::html;
use files::SiteFiles;
use std::fmt::Write as _;
use std::sync::Arc;

/// The stylesheet of all pages: one palette, the pages' own rules, and those of a diff within what shows one.
pub fn style() -> String {
    let palette = include_str!("../palette.css");
    format!("{palette}.diff {{\n{}}}\n{}", html::OWN_STYLE, include_str!("style.css"))
}

/// The script of all pages.
pub const SCRIPT: &str = include_str!("script.js");

/// The icon of all pages.
pub const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><path fill=\"#1f5a92\" d=\"M3 1h2v5.2A4.5 4.5 0 1 1 3 10.5z\"/>\
<circle cx=\"7.5\" cy=\"10.5\" r=\"2.2\" fill=\"#fff\"/></svg>";

/// The addresses of the pages.
#[derive(Debug, Clone)]
pub struct SiteAddresses {
    /// What all paths of pages begin with.
    base: String,
    /// The pages of a site that is written to files; `None`: a server answers.
    files: Option<Arc<SiteFiles>>,
}

impl SiteAddresses {
    /// Of the pages that one run of a server has.
    pub fn of_run(run: &str) -> Self {
        Self { base: format!("/{run}"), files: None }
    }

    /// Of the pages of a written site, as they stand on the page in this file of it.
    pub fn of_file(files: Arc<SiteFiles>, file: &str) -> Self {
        Self { base: "../".repeat(file.matches('/').count()), files: Some(files) }
    }

    /// The site, if it is written to files.
    pub(super) fn files(&self) -> Option<&SiteFiles> {
        self.files.as_deref()
    }

    /// What the addresses of style and script begin with.
    pub(super) fn assets(&self) -> &str {
        if self.files.is_some() { &self.base } else { "/" }
    }

    fn file(&self, name: &str) -> String {
        format!("{}{}", self.base, encoded(name))
    }

    /// What all addresses of pages begin with.
    pub fn base(&self) -> &str {
        &self.base
    }

    pub fn home(&self) -> String {
        format!("{}/home", self.base)
    }

    /// A part of the first page: `stale`, `broken`.
    pub fn home_part(&self, part: &str) -> String {
        format!("{}/home/{part}", self.base)
    }

    /// A folder; the root is empty.
    pub fn tree(&self, folder: &str) -> String {
        match &self.files {
            Some(files) => self.file(files.folder(folder).unwrap_or(files::INDEX)),
            None => format!("{}/tree/{}", self.base, encoded(folder)),
        }
    }

    pub fn entry(&self, path: &str) -> String {
        match &self.files {
            Some(files) => self.file(files.page(path).unwrap_or(files::INDEX)),
            None => format!("{}/entry/{}", self.base, encoded(path)),
        }
    }

    /// The page of an entry, or of the folder of an overview; `None` if the site has none.
    pub fn entry_if_shown(&self, path: &str) -> Option<String> {
        let is_shown = self.files.as_ref().is_none_or(|files| files.page(path).is_some());
        is_shown.then(|| self.entry(path))
    }

    /// The page of a folder; `None` if the site has none.
    pub fn tree_if_shown(&self, folder: &str) -> Option<String> {
        let is_shown = self.files.as_ref().is_none_or(|files| files.folder(folder).is_some());
        is_shown.then(|| self.tree(folder))
    }

    /// A part of the list of a folder, with the rows that have these letters.
    pub fn tree_part(&self, folder: &str, part: usize, filter: &str) -> String {
        match &self.files {
            Some(files) => self.file(files.folder_part(folder, part).unwrap_or(files::INDEX)),
            None => {
                let filter: String = encoded(filter).replace('/', "%2F");
                format!("{}?filter={filter}&page={part}", self.tree(folder))
            }
        }
    }

    /// An entry as it was at a commit.
    pub fn entry_at(&self, path: &str, commit: &str) -> String {
        format!("{}?at={}", self.entry(path), encoded(commit))
    }

    /// A part of an entry's page, or another page of it: `links`, `history`, `blame`.
    pub fn entry_part(&self, path: &str, part: &str) -> String {
        format!("{}/{part}", self.entry(path))
    }

    /// What an entry stated about a subject, and who stated it when.
    pub fn stated(&self, path: &str, subject: &str) -> String {
        format!("{}?fact={}", self.entry_part(path, "blame"), encoded(subject).replace('/', "%2F"))
    }

    pub fn changes(&self) -> String {
        format!("{}/changes", self.base)
    }

    /// A commit, by what names it.
    pub fn commit(&self, name: &str) -> String {
        format!("{}/commit/{}", self.base, encoded(name))
    }

    /// The difference of two states, which a range names.
    pub fn difference(&self, range: &str) -> String {
        format!("{}/diff/{}", self.base, encoded(range))
    }

    /// What a commit's check finds: a part of its page.
    pub fn findings(&self, name: &str) -> String {
        format!("{}/findings/{}", self.base, encoded(name))
    }

    pub fn review(&self) -> String {
        format!("{}/review", self.base)
    }

    /// A change that waits, by its id.
    pub fn reviewed(&self, id: &str) -> String {
        format!("{}/review/{}", self.base, encoded(id))
    }

    /// A branch as a change to review.
    pub fn reviewed_branch(&self, name: &str) -> String {
        format!("{}/review/branch/{}", self.base, encoded(name))
    }

    /// What tells whether something changed: an entry or folder, or the state of the tree since `seen`.
    pub fn changed(&self, path: &str, seen: &str) -> String {
        format!("{}/changed/{}?seen={seen}", self.base, encoded(path))
    }

    /// What an agent would be given.
    pub fn why(&self) -> String {
        format!("{}/why", self.base)
    }

    /// What agents were given of an entry; of all if it is empty.
    pub fn given(&self, path: &str) -> String {
        match path {
            "" => format!("{}/why/served", self.base),
            path => format!("{}/why/served?path={}", self.base, encoded(path)),
        }
    }

    pub fn search(&self) -> String {
        format!("{}/search", self.base)
    }
}

/// The bytes of a path as they stand in an address: letters, digits and `-_.~/` unchanged (RFC 3986, section 2.3).
pub fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) => out.push(char::from(byte)),
            byte => write!(out, "%{byte:02X}").expect("memory takes all text"),
        }
    }
    out
}

/// The name of a file or folder without its folder and `.md`.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}
