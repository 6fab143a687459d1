//! Prints updated refs, for `fetch`, `push`, `pull` and `clone`.

use crate::cli::ui::{Screen, Style, width};
use crate::say::refs::short;
use brv_base::escape::escape_line;
use brv_commands::vc::push::{Moved, Ref};

/// Print a line for each ref, as git does: a sign, what happened, the names, and the reason of a rejection.
pub fn refs<'a>(screen: &mut Screen, refs: impl IntoIterator<Item = &'a Ref>) {
    let rows: Vec<TransferRow<'_>> = refs.into_iter().map(TransferRow::of).collect();
    let first = rows.iter().map(|row| width(&row.summary)).max().unwrap_or_default();
    let second = rows.iter().map(|row| width(&row.remote)).max().unwrap_or_default();
    for TransferRow { moved, summary, remote } in &rows {
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
            screen.plain(format!(" ({why}old value kept at ")).word(Style::Name, rescue).plain(")");
        }
        if let Some(reason) = &moved.reason {
            screen.plain(" (").word(Style::Plain, reason).plain(")");
        }
        screen.end();
    }
}

struct TransferRow<'a> {
    moved: &'a Ref,
    summary: String,
    remote: String,
}

impl<'a> TransferRow<'a> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ui::{Colour, ScreenKind, drawn};

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
            drawn(ScreenKind::Pipe, Colour::Off, |screen| refs(screen, &rows)),
            "   1111111..2222222 main   -> origin/main\n * [new branch]     a\\x1bb -> origin/ab\n ! [rejected]       old (non-fast-forward)\n"
        );
    }
}
