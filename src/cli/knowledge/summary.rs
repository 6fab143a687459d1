//! Prints a line or two per changed entry: the summary of `pull` and `merge`.
//!
//! Shows only titles, headings and subjects of the entries.

use crate::cli::ui::{Screen, Style, width};
use crate::say::gist::gist;
use crate::say::knowledge;
use crate::say::words::many;
use brv_base::escape::quote_path;
use brv_commands::vc::diff::FileChange;
use brv_text::diff::Stat;
use brv_text::diff::knowledge::{Content, Count, Counts, Entry, What};
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The widest path for which the text after it is still aligned.
const WIDEST: usize = 40;

/// Up to this many files are listed one per line; more are summed up, a line for each domain.
pub const MOST_LINES: usize = 20;

/// Print what changed, in so few lines that the output after it stays in sight; `files` has the files of the entries,
/// and those that are compared by line only.
pub fn account(screen: &mut Screen, entries: &[Entry], files: &[FileChange]) {
    if files.len() > MOST_LINES {
        domains(screen, entries, files);
    } else {
        summary(screen, entries, files);
    }
}

/// `~ auth/tokens  2 facts changed, 1 added; Rules edited`: a line for each entry, with its warnings below.
fn summary(screen: &mut Screen, entries: &[Entry], files: &[FileChange]) {
    let stats: HashMap<&BString, Stat> =
        files.iter().filter_map(|file| Some((&file.path, file.stat?))).collect();
    let rows: Vec<(String, &Entry)> = entries.iter().map(|entry| (path(entry), entry)).collect();
    let widest =
        rows.iter().map(|(path, _)| width(path)).filter(|width| *width <= WIDEST).max().unwrap_or_default();
    for (path, entry) in rows {
        let sign = knowledge::sign(entry.what);
        let style = match entry.what {
            What::Added => Style::Good,
            What::Deleted | What::Archived | What::Merged => Style::Bad,
            What::Modified | What::Renamed => Style::Notable,
        };
        screen.plain(" ").text(style, sign.to_string()).plain(" ").text(Style::Plain, &path);
        let mut phrases = phrases_of(entry);
        if let Content::Lines(_) = entry.content {
            phrases.extend(knowledge::place(entry).and_then(|place| lines(*stats.get(&place.path)?)));
        }
        if !phrases.is_empty() {
            screen
                .plain(" ".repeat(widest.saturating_sub(width(&path)) + 2))
                .word(Style::Dim, phrases.join("; "));
        }
        screen.end();
        warnings(screen, entry);
    }
}

/// `2 lines added, 1 removed`
fn lines(stat: Stat) -> Option<String> {
    let count = Count { added: stat.added, removed: stat.removed, ..Count::default() };
    knowledge::counted(count, "line", "lines")
}

/// `auth/  12 changed, 3 new; 5 facts changed, 2 added`: a line for each top folder.
fn domains(screen: &mut Screen, entries: &[Entry], files: &[FileChange]) {
    let mut domains: BTreeMap<&[u8], (ChangeCounts, Counts)> = BTreeMap::new();
    let archived = entries.iter().filter(|entry| entry.what == What::Archived);
    let archived: HashSet<&BString> =
        archived.filter_map(|entry| Some(&knowledge::place(entry)?.path)).collect();
    for file in files {
        let kinds = &mut domains.entry(domain(&file.path)).or_default().0;
        match archived.contains(&file.path) {
            true => kinds.archived += 1,
            false => kinds.add(file),
        }
    }
    for entry in entries {
        if let (Content::Knowledge(knowledge), Some(place)) = (&entry.content, knowledge::place(entry)) {
            domains.entry(domain(&place.path)).or_default().1 += knowledge.counts();
        }
    }
    let name = |domain: &[u8]| match domain {
        b"" => "./".to_owned(),
        domain => quote_path(domain).into_owned(),
    };
    let shown = || domains.iter().take(MOST_LINES);
    let widths = shown().map(|(domain, _)| width(&name(domain)));
    let widest = widths.filter(|width| *width <= WIDEST).max().unwrap_or_default();
    for (domain, (kinds, counts)) in shown() {
        let name = name(domain);
        let facts = knowledge::counted(counts.facts, "fact", "facts");
        let parts: Vec<String> = std::iter::once(knowledge::kinds(&kinds.words())).chain(facts).collect();
        screen.plain(" ").text(Style::Plain, &name);
        screen.plain(" ".repeat(widest.saturating_sub(width(&name)) + 2)).text(Style::Dim, parts.join("; "));
        screen.end();
    }
    if domains.len() > MOST_LINES {
        let more = many(domains.len() - MOST_LINES, "more folder", "more folders");
        screen.line(format!(" and {more}"));
    }
}

/// `auth/` for `auth/jwt/tokens.md`; empty for a file at the root.
fn domain(path: &BString) -> &[u8] {
    path.find_byte(b'/').map_or(b"", |end| &path[..=end])
}

/// Number of files by what happened to them.
#[derive(Default)]
struct ChangeCounts {
    changed: usize,
    added: usize,
    renamed: usize,
    archived: usize,
    gone: usize,
}

impl ChangeCounts {
    const fn add(&mut self, file: &FileChange) {
        match (&file.renamed_from, file.before, file.after) {
            (Some(_), ..) => self.renamed += 1,
            (None, None, _) => self.added += 1,
            (None, _, None) => self.gone += 1,
            _ => self.changed += 1,
        }
    }

    const fn words(&self) -> [(usize, &'static str); 5] {
        [
            (self.changed, "changed"),
            (self.added, "new"),
            (self.renamed, "renamed"),
            (self.archived, "archived"),
            (self.gone, "deleted"),
        ]
    }
}

fn path(entry: &Entry) -> String {
    let path = knowledge::place(entry).map(|place| quote_path(knowledge::short(&place.path)).into_owned());
    path.unwrap_or_default()
}

fn warnings(screen: &mut Screen, entry: &Entry) {
    let Content::Knowledge(knowledge) = &entry.content else { return };
    for dispute in &knowledge.disputes {
        screen.plain("   ").text(Style::Notable, "!").plain(" ").word(Style::Plain, &dispute.subject);
        screen.plain(" ").line(knowledge::dispute(dispute));
    }
    for target in &knowledge.dangling {
        screen.plain("   ").text(Style::Notable, "!").plain(" points to ");
        screen.text(Style::Plain, quote_path(target.as_bytes()).as_bytes()).line(", which was deleted");
    }
}

/// The gist of the entry, with its title if the path is all that a reader would see of it.
fn phrases_of(entry: &Entry) -> Vec<String> {
    let title = knowledge::place(entry).and_then(|place| place.title.as_deref());
    let title = title.filter(|_| matches!(entry.what, What::Added | What::Archived | What::Deleted));
    title.map(|title| format!("\"{title}\"")).into_iter().chain(gist(entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ui::{Colour, ScreenKind, drawn};
    use brv_text::diff::knowledge::{Gone, Version, entry};

    fn version<'a>(path: &'a str, text: &'a str) -> Option<Version<'a>> {
        Some(Version { path: path.into(), bytes: text.as_bytes() })
    }

    #[test]
    fn an_entry_takes_a_line_and_each_warning_another() {
        let gone = Gone::new([&"auth/old.md".into()], []);
        let before = "---\ntitle: T\ntags: [a]\n---\n## Rules\n\n- one\n- two\n\n## Facts\n\n- **ttl**: 24 hours\n- **x**: y\n";
        let after = before.replace("24", "12").replace("- two", "- three").replace("[a]", "[b]");
        let after = format!("{after}- **ttl**: a day in tests\n\n[o](old.md)\n");
        let entries = [
            entry(version("auth/tokens.md", before), version("auth/tokens.md", &after), &gone),
            entry(None, version("auth/new.md", "# New\n\n## Facts\n\n- a\n- b\n"), &gone),
            entry(version("auth/old.md", "# Old \x1b[31m\n"), None, &gone),
            entry(version("a.md", "x\ny\n"), version("b.md", "x y\n"), &gone),
        ];
        let text = drawn(ScreenKind::Terminal, Colour::Off, |screen| account(screen, &entries, &[]));
        let expected = concat!(
            " ~ auth/tokens  1 fact changed, 1 added; Rules, Facts edited; tags changed\n",
            "   ! ttl now has 2 statements\n",
            "   ! points to auth/old.md, which was deleted\n",
            " + auth/new     \"New\"; 2 facts\n",
            " - auth/old     \"Old \\x1b[31m\"\n",
            " > b            was a; in form only: 1 block\n",
        );
        assert_eq!(text, expected);
    }
}
