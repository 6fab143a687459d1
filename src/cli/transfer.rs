//! What `fetch`, `push`, `pull` and `clone` say in the same way: refs that moved, guards that stopped.

use super::ui::{Screen, Style, width};
use crate::ops::steps::manner::History;
use crate::ops::steps::remote_choice;
use crate::ops::steps::writing::{self, Refused};
use crate::say::Exit;
use crate::say::Failure;
use crate::say::escape::escape_line;
use crate::say::words;
use crate::wire::{Move, Moved, Ref, Withheld};
use bstr::BString;

/// A line for each ref, as git has them: a sign, what happened, the names, and why not.
pub fn refs<'a>(screen: &mut Screen, refs: impl IntoIterator<Item = &'a Ref>) {
    let rows: Vec<Row<'_>> = refs.into_iter().map(Row::of).collect();
    let first = rows.iter().map(|row| width(&row.summary)).max().unwrap_or_default();
    let second = rows.iter().map(|row| width(&row.remote)).max().unwrap_or_default();
    for Row { moved, summary, remote } in &rows {
        let (sign, style) = match moved.status {
            Moved::New => ('*', Style::Good),
            Moved::Moved | Moved::Fetched => (' ', Style::Plain),
            Moved::Forced => ('+', Style::Notable),
            Moved::Unchanged => ('=', Style::Dim),
            Moved::Deleted => ('-', Style::Notable),
            Moved::Rejected => ('!', Style::Bad),
        };
        let pad = |text: &str, columns: usize| " ".repeat(columns.saturating_sub(width(text)));
        screen.text(style, format!(" {sign} {summary}{}", pad(summary, first)));
        screen.plain(" ").word(Style::Plain, remote);
        if let Some(local) = &moved.local {
            screen.plain(format!("{} -> ", pad(remote, second))).word(Style::Plain, short(local));
        }
        if let Some(rescue) = &moved.rescue {
            let why = if moved.status == Moved::Forced { "forced update; " } else { "" };
            screen.plain(format!(" ({why}what it had stays at ")).word(Style::Name, rescue).plain(")");
        }
        if let Some(reason) = &moved.reason {
            screen.plain(" (").word(Style::Plain, reason).plain(")");
        }
        screen.end();
    }
}

/// What became of how far the history goes back, if anything did.
#[must_use]
pub const fn history(history: History) -> Option<&'static str> {
    match history {
        History::Unchanged => None,
        History::Whole => Some("All of the history is here now."),
        History::Deepened => Some("The history goes further back now."),
        History::Limited => Some("The history ends at other commits now."),
    }
}

struct Row<'a> {
    moved: &'a Ref,
    summary: String,
    /// Safe to print.
    remote: String,
}

impl<'a> Row<'a> {
    fn of(moved: &'a Ref) -> Self {
        let remote = if moved.remote.is_empty() { "(none)" } else { short(&moved.remote) };
        let remote = match moved.source.as_deref().map(short) {
            Some(source) if source != remote => format!("{source} -> {remote}"),
            _ => remote.to_owned(),
        };
        Self { moved, summary: summary(moved), remote: escape_line(remote.as_bytes()).into_owned() }
    }
}

fn summary(moved: &Ref) -> String {
    let id =
        |id: &Option<String>| id.as_deref().map_or_else(String::new, |id| id[..id.len().min(7)].to_string());
    match moved.status {
        Moved::New if moved.remote.starts_with("refs/tags/") => "[new tag]".into(),
        Moved::New => "[new branch]".into(),
        Moved::Moved => format!("{}..{}", id(&moved.before), id(&moved.after)),
        Moved::Forced => format!("{}...{}", id(&moved.before), id(&moved.after)),
        Moved::Unchanged => "[up to date]".into(),
        Moved::Deleted => "[deleted]".into(),
        Moved::Fetched => id(&moved.after),
        Moved::Rejected => "[rejected]".into(),
    }
}

/// A ref's name as people say it.
#[must_use]
pub fn short(name: &str) -> &str {
    let prefixes = ["refs/heads/", "refs/remotes/", "refs/tags/"];
    prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// Where a reference of an operation was and is: `main: 1a2b3c4 -> 5d6e7f8`; `gone` is what it is that is not there any more.
#[must_use]
pub fn moved(one: &Move, gone: &str) -> String {
    let name = escape_line(short(&one.name).as_bytes());
    let place = |place: &str| match place.len() == 40 && !place.contains('/') {
        true => place[..7].to_owned(),
        false => escape_line(short(place).as_bytes()).into_owned(),
    };
    match (one.before.as_deref().map(place), one.after.as_deref().map(place)) {
        (Some(before), Some(after)) => format!("{name}: {before} -> {after}"),
        (None, Some(after)) => format!("{name}: new, at {after}"),
        (Some(before), None) => format!("{name}: {gone} (was {before})"),
        (None, None) => format!("{name}: {gone}"),
    }
}

/// A line for each file that stays in the commit without being written.
pub fn not_written(withheld: &[Withheld]) -> impl Iterator<Item = String> {
    withheld.iter().map(|file| {
        format!(
            "`{}` is in the commit and not written here: it {}",
            escape_line(file.path.as_bytes()),
            file.reason
        )
    })
}

/// A line for each file that is not as it should be after the tree was brought over.
pub fn left_alone(saved: &[BString], blocked: &[BString]) -> impl Iterator<Item = String> {
    let saved =
        saved.iter().map(|path| format!("`{}` was saved meanwhile and stays as it is", escape_line(path)));
    saved.chain(blocked.iter().map(|path| words::blocked(path)))
}

/// A guard's refusal with the paths it is about.
#[must_use]
pub fn stopped(failure: Failure, error: &writing::Error) -> Failure {
    match error {
        writing::Error::Refused(Refused::Unsafe(paths)) => failure
            .detailing(paths.iter().map(|found| format!("{} {}", escape_line(&found.path), found.reason)))
            .hinting(Some("nothing was written; whoever pushed them must take them out of the branch")),
        writing::Error::Refused(Refused::InTheWay(found)) => failure
            .detailing(found.paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some("nothing was written; commit these files, or move them away, and try again")),
        _ => failure,
    }
}

/// What helps when it is not clear which remote or branch is meant.
#[must_use]
pub const fn which(error: &remote_choice::Error) -> Option<&'static str> {
    match error {
        remote_choice::Error::NoRemote => Some("`brv vc remote add origin URL` sets one up"),
        remote_choice::Error::Ambiguous(_) => Some("name one of them, as `brv vc remote` lists them"),
        remote_choice::Error::NoUpstream(_) => {
            Some("name remote and branch; `brv vc push -u REMOTE BRANCH` makes the branch follow it")
        }
        remote_choice::Error::Unknown { .. } => Some("`brv vc remote -v` lists the remotes"),
        _ => None,
    }
}

/// The failure that rejected refs are: of the guard against lost commits, or of the server.
#[must_use]
pub fn rejected(refs: &[Ref], guard: impl Fn(&Ref) -> bool) -> Option<Failure> {
    let rejected: Vec<&Ref> = refs.iter().filter(|moved| moved.status == Moved::Rejected).collect();
    let line = |moved: &&Ref| {
        format!(
            "{} ({})",
            escape_line(short(&moved.remote).as_bytes()),
            moved.reason.as_deref().unwrap_or("rejected")
        )
    };
    if rejected.is_empty() {
        return None;
    }
    let exit = if rejected.iter().all(|moved| !guard(moved)) { Exit::Remote } else { Exit::Refused };
    let refs = words::many(rejected.len(), "ref was", "refs were");
    Some(Failure::new(exit, format!("{refs} rejected")).detailing(rejected.iter().map(line)))
}

#[cfg(test)]
mod tests {
    use super::super::ui::{Colour, Kind, drawn};
    use super::*;

    fn moved(remote: &str, local: Option<&str>, status: Moved, reason: Option<&str>) -> Ref {
        Ref {
            remote: remote.into(),
            local: local.map(Into::into),
            source: None,
            before: Some("1".repeat(40)),
            after: Some("2".repeat(40)),
            status,
            reason: reason.map(Into::into),
            rescue: None,
            address: None,
        }
    }

    #[test]
    fn refs_line_up_as_in_git() {
        let rows = [
            moved("refs/heads/main", Some("refs/remotes/origin/main"), Moved::Moved, None),
            moved("refs/heads/a\x1bb", Some("refs/remotes/origin/ab"), Moved::New, None),
            moved("refs/heads/old", None, Moved::Rejected, Some("non-fast-forward")),
        ];
        assert_eq!(
            drawn(Kind::Pipe, Colour::Off, |screen| refs(screen, &rows)),
            "   1111111..2222222 main   -> origin/main\n * [new branch]     a\\x1bb -> origin/ab\n ! [rejected]       old (non-fast-forward)\n"
        );
    }

    #[test]
    fn a_guards_rejection_is_not_the_servers() {
        let is_guard = |moved: &Ref| moved.reason.as_deref() == Some("fetch first");
        let row = |reason| [moved("refs/heads/main", None, Moved::Rejected, Some(reason))];
        assert_eq!(rejected(&row("fetch first"), is_guard).unwrap().exit, Exit::Refused);
        assert_eq!(rejected(&row("hook declined"), is_guard).unwrap().exit, Exit::Remote);
        assert_eq!(rejected(&[], is_guard), None);
    }
}
