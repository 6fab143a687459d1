//! The pages of a commit as files, for readers without brv: folders and entries with their links, and a filter.

use crate::say::site::files::SiteFiles;
use crate::say::site::form::{SiteForms, SiteRights};
use crate::say::site::frame::{PageFrame, SiteSection};
use crate::say::site::links::EntryLinks;
use crate::say::site::tree::{self, TreeView};
use crate::say::site::view::{EntryView, WrittenView};
use crate::say::site::{ICON, SiteAddresses, entry, still, style};
use brv_base::clock::format_utc;
use brv_commands::read::{InConflict, Level, PieceKind, PieceOrigin, PieceSource, ReadPiece};
use brv_commands::tree::{Outcome as Listing, TreeRow};
use brv_commands::ui::export::{
    self, ExportContent, ExportedEntry, ExportedFolder, LeftOut, Outcome, SitePages,
};
use brv_engine::{Context, Stop};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Write the pages of a commit to a folder as typed; without `at`, of `HEAD`.
///
/// # Errors
/// There is no such commit, or the folder has files that no export wrote.
pub fn export(cx: &Context<'_>, dir: &str, at: Option<&str>) -> Result<Outcome, Stop> {
    let content = ExportContent::of(cx, at)?;
    export::write(cx, dir, &content, &WrittenSite::of(&content))
}

/// What one file of the site has.
enum SiteFile<'c> {
    /// A part of the list of a folder.
    Folder(&'c str, usize),
    Entry(&'c ExportedEntry),
    Fixed(String),
}

struct WrittenSite<'c> {
    content: &'c ExportContent,
    files: Arc<SiteFiles>,
    /// What is directly in each folder.
    inside: BTreeMap<&'c str, FolderRows<'c>>,
    names: Vec<String>,
    pages: Vec<SiteFile<'c>>,
}

#[derive(Default)]
struct FolderRows<'c> {
    entries: Vec<&'c ExportedEntry>,
    folders: Vec<(&'c str, &'c ExportedFolder)>,
}

impl<'c> WrittenSite<'c> {
    fn of(content: &'c ExportContent) -> Self {
        let mut inside: BTreeMap<&str, FolderRows<'_>> = BTreeMap::new();
        for (path, folder) in &content.folders {
            inside.entry(path).or_default();
            if !path.is_empty() {
                inside.entry(above(path)).or_default().folders.push((path, folder));
            }
        }
        for entry in &content.entries {
            inside.entry(entry.path.folder()).or_default().entries.push(entry);
        }
        let parts =
            |rows: &FolderRows<'_>| (rows.entries.len() + rows.folders.len()).div_ceil(tree::ROWS).max(1);
        let files = SiteFiles::of(
            (content.commit.to_string(), day(content.seconds)),
            content.entries.iter().map(|entry| entry.path.as_str()),
            inside.iter().map(|(path, rows)| (*path, parts(rows))),
        );
        let files = Arc::new(files);
        let (mut names, mut pages) = (Vec::new(), Vec::new());
        let mut add = |name: &str, page| {
            names.push(name.to_owned());
            pages.push(page);
        };
        for (path, rows) in &inside {
            for part in 0..parts(rows) {
                if let Some(name) = files.folder_part(path, part) {
                    add(name, SiteFile::Folder(path, part));
                }
            }
        }
        for entry in &content.entries {
            if let Some(name) = files.page(entry.path.as_str()) {
                add(name, SiteFile::Entry(entry));
            }
        }
        let root = SiteAddresses::of_file(Arc::clone(&files), "");
        let index = still::index(&root, &files.commit, &content.entries);
        add("index.js", SiteFile::Fixed(still::index_script(&index)));
        add("index.json", SiteFile::Fixed(index));
        add("style.css", SiteFile::Fixed(style()));
        add("script.js", SiteFile::Fixed(still::SCRIPT.to_owned()));
        // GitHub Pages would leave out what begins with `_`
        add(".nojekyll", SiteFile::Fixed(String::new()));
        add("icon.svg", SiteFile::Fixed(ICON.to_owned()));
        Self { content, files, inside, names, pages }
    }

    fn folder(&self, file: &str, path: &str, part: usize) -> String {
        let addresses = SiteAddresses::of_file(Arc::clone(&self.files), file);
        let known = self.content.folders.get(path);
        let title = known.and_then(|folder| folder.title.clone());
        let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("Context tree");
        let rows = self.inside.get(path);
        let entries = rows.into_iter().flat_map(|rows| &rows.entries).map(|entry| entry_row(entry));
        let folders =
            rows.into_iter().flat_map(|rows| &rows.folders).map(|(path, folder)| folder_row(path, folder));
        let listing = Listing {
            commit: None,
            path: path.to_owned(),
            title: title.clone(),
            summary: known.and_then(|folder| folder.summary.clone()),
            entries: known.map_or(0, |folder| folder.entries),
            folders: rows.map_or(0, |rows| rows.folders.len()),
            depth: 1,
            unlisted_levels: 0,
            withheld: 0,
            rows: entries.chain(folders).collect(),
        };
        // what is not committed changes no page
        let left_out = LeftOut { uncommitted: 0, ..self.content.left_out };
        let note = if path.is_empty() { still::left_out(&left_out, self.content.earlier) } else { None };
        let view = TreeView { page: part, note, ..TreeView::default() };
        let frame = self.frame(&addresses, title.as_deref().unwrap_or(name));
        tree::page(&frame, &listing, &view)
    }

    fn entry(&self, file: &str, entry: &ExportedEntry) -> Result<String, Stop> {
        let addresses = SiteAddresses::of_file(Arc::clone(&self.files), file);
        let text = self.content.text(&entry.path)?;
        let path = entry.path.as_str();
        let bytes = (PieceOrigin::File, text.bytes);
        let mut piece = ReadPiece::new(path, PieceKind::Entry, Level::Full, bytes);
        piece.title.clone_from(&entry.title);
        piece.source = Some(PieceSource {
            id: text.id,
            tokens: piece.tokens,
            conflict: text.has_markers.then_some(InConflict::Recorded),
            disputed: entry.disputed.clone(),
        });
        let frame = self.frame(&addresses, entry::title(&piece));
        let links = EntryLinks {
            path,
            title: entry::title(&piece),
            outgoing: &entry.outgoing,
            incoming: &entry.incoming,
        };
        let changed = entry.changed.map(day);
        let view = EntryView {
            piece: &piece,
            blame: None,
            at: None,
            waiting: Vec::new(),
            written: Some(WrittenView { links, is_earlier: entry.is_earlier, changed: changed.as_deref() }),
            comments: Vec::new(),
            given: (0, false),
            editor: None,
        };
        Ok(entry::page(&frame, &view))
    }

    fn frame<'f>(&'f self, addresses: &'f SiteAddresses, title: &'f str) -> PageFrame<'f> {
        let root = self.content.folders.get("").and_then(|folder| folder.title.as_deref());
        PageFrame {
            addresses,
            project: root.unwrap_or("Context tree"),
            section: SiteSection::Tree,
            title,
            query: "",
            commands: &[],
            changed: "",
            waits: 0,
            forms: SiteForms { rights: SiteRights::Reading, base: "", secret: "", from: "" },
            done: None,
            has_keys: true,
            is_merging: false,
        }
    }
}

impl SitePages for WrittenSite<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn make(&self, at: usize) -> Result<Vec<u8>, Stop> {
        let name = &self.names[at];
        let text = match &self.pages[at] {
            SiteFile::Folder(path, part) => self.folder(name, path, *part),
            SiteFile::Entry(entry) => self.entry(name, entry)?,
            SiteFile::Fixed(text) => text.clone(),
        };
        Ok(text.into_bytes())
    }
}

fn day(seconds: i64) -> String {
    format_utc(seconds).get(..10).unwrap_or_default().to_owned()
}

fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

fn entry_row(entry: &ExportedEntry) -> TreeRow {
    TreeRow::Entry {
        path: entry.path.to_string(),
        level: 1,
        title: entry.title.clone(),
        summary: entry.summary.clone(),
        status: entry.status,
        tokens: 0,
        disputed: !entry.disputed.is_empty(),
        flagged: Vec::new(),
    }
}

fn folder_row(path: &str, folder: &ExportedFolder) -> TreeRow {
    TreeRow::Folder {
        path: path.to_owned(),
        level: 1,
        title: folder.title.clone(),
        summary: folder.summary.clone(),
        entries: folder.entries,
        flagged: Vec::new(),
    }
}
