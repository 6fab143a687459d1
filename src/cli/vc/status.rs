//! `brv vc status`: shows what differs between the last commit, the index and the disk.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Verb};
use crate::say::words::{self, many};
use crate::say::{Failure, guards};
use brv_base::escape::{escape_line, quote_path};
use brv_commands::vc::status::{self, Disputed, Outcome as Status, SetUp, Unfinished, UnmanagedFile};
use brv_engine::Context;
use brv_engine::outcome::bytes::Bytes;
use brv_engine::outcome::change::{PathChange, What};
use clap::Args;
use std::collections::BTreeMap;

/// The arguments of `brv vc status`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc status
  brv vc status -s
  brv vc status --json")]
pub struct Arguments {
    /// Show one line per path, with git's two status letters
    #[arg(short, long)]
    short: bool,
    /// Like --short, in a stable format
    #[arg(long)]
    porcelain: bool,
    /// Also show the branch in the short format
    #[arg(short, long)]
    branch: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc status";
    type Outcome = Status;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Status>, Failure> {
        let outcome = status::run(cx, &status::Options::default())?;
        let next = (outcome.setting_up == SetUp::Missing).then_some("brv init");
        Ok(Answer::new(outcome).next(next))
    }

    fn text(&self, outcome: &Status, screen: &mut Screen) {
        if !(self.porcelain || self.short) {
            return long(screen, outcome);
        }
        let paint = if self.porcelain { Paint::Off } else { Paint::On };
        if self.branch {
            branch_line(screen, outcome, paint);
        }
        short(screen, outcome, paint);
    }
}

/// Whether the short format is coloured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paint {
    On,
    Off,
}

impl Paint {
    fn style(self, style: Style) -> Style {
        if self == Self::On { style } else { Style::Plain }
    }
}

fn long(screen: &mut Screen, data: &Status) {
    match &data.branch {
        Some(branch) => screen.plain("On branch ").word(Style::Name, branch).end(),
        None => {
            let id = data.head.as_ref().map_or_else(String::new, words::short);
            screen.plain("HEAD detached at ").text(Style::Notable, id).end()
        }
    };
    upstream(screen, data);
    for line in data.stopped.iter().flat_map(guards::held_back) {
        screen.line(line);
    }
    if data.head.is_none() {
        screen.end().line("No commits yet");
    }
    data.in_progress.iter().for_each(|one| unfinished(screen, one, data));
    if let Some(kind) = data.interrupted {
        screen.end().line(format!("`{kind}` was interrupted: the next command that writes recovers it."));
    }
    let staged: Vec<StatusRow> = data.staged.iter().map(StatusRow::of).collect();
    let unstaged: Vec<StatusRow> = data.unstaged.iter().map(StatusRow::of).collect();
    let conflicted: Vec<StatusRow> = data
        .conflicted
        .iter()
        .map(|file| StatusRow::new(sides(&file.sides).1, quote_path(&file.path).into_owned()))
        .collect();
    let untracked: Vec<StatusRow> =
        data.untracked.iter().map(|path| StatusRow::new("", quote_path(path).into_owned())).collect();
    section(screen, "Changes to be committed:", None, Style::Good, &staged);
    let resolved =
        Some("use \"brv vc resolve --list\" to list them, \"brv vc resolve PATH\" to resolve them");
    section(screen, "Conflicts:", resolved, Style::Bad, &conflicted);
    let update = Some("use \"brv vc add PATH...\" to update what will be committed");
    section(screen, "Changes not staged for commit:", update, Style::Bad, &unstaged);
    let include = Some("use \"brv vc add PATH...\" to include them in the next commit");
    section(screen, "Untracked files:", include, Style::Bad, &untracked);
    foreign(screen, &data.foreign);
    let marked: Vec<StatusRow> =
        data.marked.iter().map(|path| StatusRow::new("", quote_path(path.as_bytes()).into_owned())).collect();
    let repair =
        Some("use \"brv vc repair PATH\" to redo the merge, \"brv vc resolve PATH\" to resolve what is left");
    section(screen, "With conflict markers:", repair, Style::Bad, &marked);
    let disputed: Vec<StatusRow> = data.disputed.iter().flat_map(disputes).collect();
    let settle = Some(
        "use \"brv read PATH\" to show the claims, \"brv vc resolve PATH --fact SUBJECT\" to settle them",
    );
    section(screen, "Disputed:", settle, Style::Notable, &disputed);
    last_lines(screen, data);
}

/// Print the operation in progress, and the command that continues it.
fn unfinished(screen: &mut Screen, one: &Unfinished, data: &Status) {
    screen.end().line(format!("{} in progress.", escape_line(words::in_progress(one).as_bytes())));
    let command = one.continuing;
    let place = if command.starts_with("git ") { " in the tree" } else { "" };
    let hint = match (one.kind, data.conflicted.is_empty()) {
        ("bisect", _) => {
            "run \"git bisect good\" or \"git bisect bad\" in the tree to continue, \"git bisect reset\" to end it"
                .to_owned()
        }
        (_, true) => format!("run \"{command}\"{place} to continue"),
        (_, false) => format!("resolve the conflicts, then run \"{command}\"{place}"),
    };
    screen.text(Style::Dim, format!("  ({hint})")).end();
}

/// What the reasons begin with that `brv vc add --force` overrides.
const FORCED: [&str; 2] = ["not managed by brv", "a derived file"];

/// Print each reason once, with its files.
fn foreign(screen: &mut Screen, files: &[UnmanagedFile]) {
    let mut reasons: BTreeMap<&str, Vec<&UnmanagedFile>> = BTreeMap::new();
    files.iter().for_each(|file| reasons.entry(file.reason).or_default().push(file));
    // what else is there, `brv vc add` refuses, forced or not
    let (forced, others): (Vec<_>, Vec<_>) =
        reasons.into_iter().partition(|(reason, _)| FORCED.iter().any(|forced| reason.starts_with(forced)));
    for (title, reasons) in
        [("Ignored files (add with --force):", forced), ("Files that cannot be added:", others)]
    {
        if !reasons.is_empty() {
            screen.end().line(title);
        }
        for (reason, files) in reasons {
            screen.text(Style::Dim, format!("  ({reason})")).end();
            for file in files {
                screen.plain("\t").text(Style::Dim, quote_path(&file.path).into_owned()).end();
            }
        }
    }
}

/// `auth/a.md: access token (2 claims)`
fn disputes(entry: &Disputed) -> impl Iterator<Item = StatusRow> {
    entry.subjects.iter().map(|dispute| {
        let claims = match dispute.claims.len() {
            0 => "both versions kept".to_owned(),
            claims => many(claims, "claim", "claims"),
        };
        let subject = escape_line(dispute.subject.as_bytes());
        StatusRow::new("", format!("{}: {subject} ({claims})", quote_path(entry.path.as_bytes())))
    })
}

fn upstream(screen: &mut Screen, data: &Status) {
    let Some(upstream) = &data.upstream else { return };
    let name = &upstream.name;
    let commits = |count: usize| if count == 1 { "1 commit".into() } else { format!("{count} commits") };
    screen.line(match upstream.ahead.zip(upstream.behind) {
        None => format!("Your branch tracks '{name}', which does not exist."),
        Some((0, 0)) => format!("Your branch is up to date with '{name}'."),
        Some((ahead, 0)) => format!("Your branch is ahead of '{name}' by {}.", commits(ahead)),
        Some((0, behind)) => format!("Your branch is behind '{name}' by {}.", commits(behind)),
        Some((ahead, behind)) => format!(
            "Your branch and '{name}' have diverged: {} here, {} there.",
            commits(ahead),
            commits(behind)
        ),
    });
}

fn last_lines(screen: &mut Screen, data: &Status) {
    if data.stale > 0 {
        let files = if data.stale == 1 { "file is" } else { "files are" };
        screen.end().line(format!("{} derived {files} missing or out of date.", data.stale));
    }
    if data.setting_up == SetUp::Missing {
        screen.end().line("brv has not set up this tree yet.");
        screen.text(Style::Dim, "  (use \"brv init\" to take it over; no data is lost)").end();
    }
    if !data.staged.is_empty() || !data.conflicted.is_empty() || data.merging {
        return;
    }
    screen.end().line(if !data.unstaged.is_empty() {
        "No changes added to commit."
    } else if !data.untracked.is_empty() {
        "Nothing added to commit, but untracked files present."
    } else if data.head.is_none() {
        "Nothing to commit: create an entry first."
    } else {
        "Nothing to commit, working tree clean."
    });
}

/// A path with the word for what happened to it.
struct StatusRow {
    what: &'static str,
    path: String,
}

impl StatusRow {
    const fn new(what: &'static str, path: String) -> Self {
        Self { what, path }
    }

    fn of(entry: &PathChange) -> Self {
        let path = quote_path(&entry.path);
        let path = match &entry.renamed_from {
            Some(old) => format!("{} -> {path}", quote_path(old)),
            None => path.into_owned(),
        };
        Self::new(
            match entry.change {
                What::Added => "new file:",
                What::Modified => "modified:",
                What::Deleted => "deleted:",
                What::Renamed => "renamed:",
                What::TypeChanged => "typechange:",
            },
            path,
        )
    }
}

fn section(screen: &mut Screen, title: &str, hint: Option<&str>, style: Style, rows: &[StatusRow]) {
    if rows.is_empty() {
        return;
    }
    screen.end().line(title);
    if let Some(hint) = hint {
        screen.text(Style::Dim, format!("  ({hint})")).end();
    }
    let widest = rows.iter().map(|row| row.what.len()).max().unwrap_or_default();
    for row in rows {
        let gap = if widest == 0 { String::new() } else { " ".repeat(widest + 2 - row.what.len()) };
        screen.plain("\t").text(style, format!("{}{gap}{}", row.what, row.path)).end();
    }
}

/// Git's two letters and its words for a conflict with these sides: base, ours, theirs.
fn sides(there: &[&str]) -> (&'static str, &'static str) {
    match ["base", "ours", "theirs"].map(|side| there.contains(&side)) {
        [_, false, false] => ("DD", "both deleted:"),
        [false, true, false] => ("AU", "added by us:"),
        [true, true, false] => ("UD", "deleted by them:"),
        [false, false, true] => ("UA", "added by them:"),
        [true, false, true] => ("DU", "deleted by us:"),
        [false, true, true] => ("AA", "both added:"),
        [true, true, true] => ("UU", "both modified:"),
    }
}

const fn letter(change: What) -> char {
    match change {
        What::Added => 'A',
        What::Modified => 'M',
        What::Deleted => 'D',
        What::Renamed => 'R',
        What::TypeChanged => 'T',
    }
}

/// `## main...origin/main [ahead 1, behind 2]`
fn branch_line(screen: &mut Screen, data: &Status, paint: Paint) {
    screen.plain("## ");
    match &data.branch {
        Some(branch) if data.head.is_none() => screen.plain(format!("No commits yet on {branch}")),
        Some(branch) => screen.word(paint.style(Style::Good), branch),
        None => screen.text(paint.style(Style::Bad), "HEAD (no branch)"),
    };
    if let Some(upstream) = &data.upstream {
        screen.plain("...").word(paint.style(Style::Bad), &upstream.name);
        let parts: Vec<String> = match upstream.ahead.zip(upstream.behind) {
            None => vec!["gone".into()],
            Some((ahead, behind)) => [("ahead", ahead), ("behind", behind)]
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .map(|(word, count)| format!("{word} {count}"))
                .collect(),
        };
        if !parts.is_empty() {
            screen.plain(format!(" [{}]", parts.join(", ")));
        }
    }
    screen.end();
}

/// The two status letters of a path: index against the last commit, and disk against the index.
struct Letters<'a> {
    staged: char,
    unstaged: char,
    renamed_from: Option<&'a Bytes>,
}

fn short(screen: &mut Screen, data: &Status, paint: Paint) {
    let mut rows: BTreeMap<&Bytes, Letters<'_>> = BTreeMap::new();
    let row = |staged, unstaged| Letters { staged, unstaged, renamed_from: None };
    for entry in &data.staged {
        let letters = Letters {
            staged: letter(entry.change),
            unstaged: ' ',
            renamed_from: entry.renamed_from.as_ref(),
        };
        rows.insert(&entry.path, letters);
    }
    for entry in &data.unstaged {
        let letters = rows.entry(&entry.path).or_insert(row(' ', ' '));
        letters.unstaged = letter(entry.change);
        letters.renamed_from = letters.renamed_from.or(entry.renamed_from.as_ref());
    }
    for file in &data.conflicted {
        let mut letters = sides(&file.sides).0.chars();
        rows.insert(&file.path, row(letters.next().unwrap_or('U'), letters.next().unwrap_or('U')));
    }
    for (path, letters) in rows {
        screen.text(paint.style(Style::Good), letters.staged.to_string());
        screen.text(paint.style(Style::Bad), letters.unstaged.to_string());
        screen.plain(" ");
        if let Some(old) = letters.renamed_from {
            screen.plain(format!("{} -> ", quote_spaced(old)));
        }
        screen.line(quote_spaced(path));
    }
    for path in &data.untracked {
        screen.text(paint.style(Style::Bad), "??").line(format!(" {}", quote_spaced(path)));
    }
    for file in &data.foreign {
        screen.text(paint.style(Style::Dim), "!!").line(format!(" {}", quote_spaced(&file.path)));
    }
}

/// Quote a path as git's short format does: a path with a space is quoted, too.
fn quote_spaced(path: &[u8]) -> String {
    match quote_path(path) {
        text if text.contains(' ') && !text.starts_with('"') => format!("\"{text}\""),
        text => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ui::{Colour, ScreenKind, drawn};
    use super::*;
    use brv_commands::vc::status::Conflicted;

    fn entry(path: &str, change: What) -> PathChange {
        PathChange { path: path.into(), renamed_from: None, change }
    }

    fn outcome() -> Status {
        Status {
            branch: Some("main".into()),
            head: None,
            upstream: None,
            stopped: None,
            merging: false,
            in_progress: Vec::new(),
            setting_up: SetUp::Done,
            interrupted: None,
            clean: false,
            staged: vec![
                PathChange {
                    path: "b/new.md".into(),
                    renamed_from: Some("a/old.md".into()),
                    change: What::Renamed,
                },
                entry("both.md", What::Modified),
            ],
            unstaged: vec![entry("both.md", What::Deleted)],
            untracked: vec!["令牌 1.md".into()],
            conflicted: vec![Conflicted { path: "c\x1b.md".into(), sides: vec!["base", "ours", "theirs"] }],
            foreign: vec![UnmanagedFile { path: "tool.exe".into(), reason: "not knowledge" }],
            stale: 2,
            disputed: Vec::new(),
            marked: Vec::new(),
        }
    }

    #[test]
    fn the_short_form_is_gits() {
        let text = drawn(ScreenKind::Pipe, Colour::Off, |screen| short(screen, &outcome(), Paint::Off));
        assert_eq!(
            text,
            "R  a/old.md -> b/new.md\nMD both.md\nUU \"c\\033.md\"\n?? \"令牌 1.md\"\n!! tool.exe\n"
        );
    }

    #[test]
    fn the_long_form_has_a_section_for_each_state() {
        let text = drawn(ScreenKind::Pipe, Colour::Off, |screen| long(screen, &outcome()));
        assert!(text.starts_with("On branch main\n\nNo commits yet\n"), "{text}");
        for part in [
            "Changes to be committed:\n\trenamed:   a/old.md -> b/new.md\n\tmodified:  both.md\n",
            "\tboth modified:  \"c\\033.md\"\n",
            "\tdeleted:  both.md\n",
            "\t令牌 1.md\n",
            "  (not knowledge)\n\ttool.exe\n",
            "2 derived files are missing or out of date.\n",
        ] {
            assert!(text.contains(part), "{part:?} in {text}");
        }
    }

    #[test]
    fn a_clean_tree_says_so() {
        let clean = Status {
            staged: vec![],
            unstaged: vec![],
            untracked: vec![],
            conflicted: vec![],
            foreign: vec![],
            stale: 0,
            ..outcome()
        };
        let text = drawn(ScreenKind::Pipe, Colour::Off, |screen| long(screen, &clean));
        assert!(text.ends_with("\nNothing to commit: create an entry first.\n"), "{text}");
        assert_eq!(drawn(ScreenKind::Pipe, Colour::Off, |screen| short(screen, &clean, Paint::On)), "");
    }
}
