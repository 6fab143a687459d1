//! What of an entry the text of a decider does not say: the part that a merge adds to it.

use super::cutting::without;
use super::pieces::{RewritePiece, RewritePieceKind, pieces};
use super::saying::Saying;
use super::statements::DocumentStatements;
use crate::doc::{Document, bare_title};
use crate::words::stems::Stems;
use brv_base::english::list;

/// `source` without what `written` says under the same headings, and without what `drop` names: exact sentences, or
/// subjects of facts. `others` are the entries that it is merged with. A heading goes with all that stands below it, a sentence with a colon and the names of columns with
/// all that they introduce.
pub fn lacking(source: &Document, written: &Document, others: &[&Document], drop: &[String]) -> Vec<u8> {
    if !source.is_utf8() || !written.is_utf8() {
        return source.as_bytes().to_vec();
    }
    let mut stems = Stems::default();
    let own = DocumentStatements::of(source, pieces(source), &mut stems);
    let theirs = DocumentStatements::of(written, pieces(written), &mut stems);
    let others: Vec<DocumentStatements> =
        others.iter().map(|other| DocumentStatements::of(other, pieces(other), &mut stems)).collect();
    let foreign = own.foreign(&others);
    let goes =
        |one: &Saying| theirs.says(one, (&own, &foreign)) || drop.iter().any(|name| one.is_named(name));
    let mut gone: Vec<bool> = own.sayings.iter().map(|one| one.is_statement() && goes(one)).collect();
    let all: Vec<&RewritePiece> = own.sayings.iter().map(|one| &one.piece).collect();
    keep_whole_units(&all, &mut gone);
    keep_what_is_referred_to(&all, &mut gone);
    settle_frames(&all, &theirs, &mut gone);
    let ranges = all.iter().zip(&gone).filter(|(_, gone)| **gone).map(|(piece, _)| piece.bytes.clone());
    let ranges: Vec<_> = ranges.collect();
    without(source, &ranges)
}

/// Names of a decision that are neither sentences nor subjects of these entries.
pub fn unknown_names<'d>(drop: &'d [String], inputs: &[&Document]) -> Vec<&'d str> {
    let mut stems = Stems::default();
    let told: Vec<DocumentStatements> =
        inputs.iter().map(|input| DocumentStatements::of(input, pieces(input), &mut stems)).collect();
    let is_known = |name: &&String| told.iter().any(|told| told.sayings.iter().any(|one| one.is_named(name)));
    drop.iter().filter(|name| !is_known(name)).map(String::as_str).collect()
}

/// Bytes go only if all that stands in them goes.
fn keep_whole_units(pieces: &[&RewritePiece], gone: &mut [bool]) {
    for at in 0..pieces.len() {
        let is_same = |other: &usize| pieces[*other].bytes == pieces[at].bytes;
        if !gone[at] {
            (0..pieces.len()).filter(is_same).for_each(|other| gone[other] = false);
        }
    }
}

/// A sentence that begins with one of these speaks of the one before it.
static REFERRING: list::Set = list::Set::of_words(include_str!("lists/referring.txt"));

/// A sentence that stays keeps the one before it in its paragraph if it speaks of that.
fn keep_what_is_referred_to(pieces: &[&RewritePiece], gone: &mut [bool]) {
    for at in (1..pieces.len()).rev() {
        let first = pieces[at].text.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
        let refers = first.is_some_and(|word| REFERRING.contains(&word.to_lowercase()));
        if !gone[at] && gone[at - 1] && refers && pieces[at].block == pieces[at - 1].block {
            gone[at - 1] = false;
        }
    }
}

/// Decide about what only leads to something else: headings, the title, labels and the names of columns.
fn settle_frames(pieces: &[&RewritePiece], theirs: &DocumentStatements, gone: &mut [bool]) {
    for at in (0..pieces.len()).rev() {
        let rest = at + 1..pieces.len();
        let is_below = |other: &usize| match &pieces[at].kind {
            RewritePieceKind::Title => true,
            RewritePieceKind::Heading => pieces[*other].headings.starts_with(&pieces[at].headings),
            _ => pieces[*other].label.as_ref() == Some(&pieces[at].text),
        };
        let below: Vec<usize> = rest.take_while(is_below).collect();
        let is_frame = matches!(
            pieces[at].kind,
            RewritePieceKind::Title
                | RewritePieceKind::Heading
                | RewritePieceKind::Head
                | RewritePieceKind::Label
        );
        if !is_frame {
            continue;
        }
        let all_go = below.iter().all(|other| gone[*other]);
        gone[at] = match pieces[at].kind {
            // a sentence of its own, if nothing stands below it
            RewritePieceKind::Label if below.is_empty() => gone[at],
            RewritePieceKind::Title if !all_go => has_title(theirs, &pieces[at].text),
            RewritePieceKind::Heading if below.is_empty() => has_heading(theirs, &pieces[at].headings),
            _ => all_go,
        };
    }
}

fn has_title(theirs: &DocumentStatements, title: &str) -> bool {
    let is_it = |one: &Saying| {
        one.piece.kind == RewritePieceKind::Title
            && bare_title(&one.piece.text).eq_ignore_ascii_case(bare_title(title))
    };
    theirs.sayings.iter().any(is_it)
}

fn has_heading(theirs: &DocumentStatements, headings: &[String]) -> bool {
    theirs
        .sayings
        .iter()
        .any(|one| one.piece.kind == RewritePieceKind::Heading && one.piece.headings == headings)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "---\ntitle: Deploys\n---\n\n# Deploys\n\nWe deploy with `make ship` on Mondays, from the branch `main`.\n\n## Staging\n\nIt waits 30 seconds, and never retries.\n\n## Facts\n\n- **window**: 9 to 11 UTC\n";

    fn left_with(body: &str, others: &[&str], drop: &[&str]) -> String {
        let source = Document::parse(format!("---\ntitle: Deploys\n---\n\n{body}"));
        let others: Vec<Document> = others.iter().map(|other| Document::parse(*other)).collect();
        let others: Vec<&Document> = others.iter().collect();
        let drop: Vec<String> = drop.iter().map(|one| (*one).to_owned()).collect();
        let rest = Document::parse(lacking(&source, &Document::parse(WRITTEN), &others, &drop));
        rest.body().trim().to_owned()
    }

    fn left(body: &str) -> String {
        left_with(body, &[], &[])
    }

    #[test]
    fn what_is_said_otherwise_goes_and_all_else_stays() {
        assert_eq!(left("# Deploys\n\nOn Mondays we deploy from `main` with `make ship`.\n"), "");
        assert_eq!(left("## Staging\n\nNever retries: it waits 30 s.\n"), "");
        assert_eq!(left("On Mondays we deploy from `main`. The bell rings.\n"), "The bell rings.");
        assert_eq!(left("- We deploy from `main`\n- The bell rings\n"), "- The bell rings");
        assert_eq!(
            left("The bell rings. It is loud.\n\nWe deploy from `main`.\n"),
            "The bell rings. It is loud."
        );
        let table =
            "| step | command |\n|---|---|\n| ship | `make ship` on Mondays |\n| undo | `make undo` |";
        let rest = "| step | command |\n|---|---|\n| undo | `make undo` |";
        assert_eq!(left(&format!("{table}\n")), rest);
        assert_eq!(
            left("## Facts\n\n- **Window**: 9 to 11 UTC\n- **who**: ops\n"),
            "## Facts\n\n- **who**: ops"
        );
        for body in [
            "On Tuesdays we deploy from `main` with `make ship`.",
            "We deploy with `make ship` on Mondays, from the branch `release`.",
            "## Staging\n\nIt waits 30 seconds, and retries.",
            "We deploy with `main` on Mondays, from the branch `make ship`.",
            "## Staging\n\nIt waits 40 seconds, and never retries.",
            "## Production\n\nIt waits 30 seconds, and never retries.",
            "Run this:\n\n```sh\nmake ship\n```",
            "## Facts\n\n- **window**: 9 to 12 UTC",
            "> The bell **rings. It is** loud.",
            "**Never:**\n\n- We deploy from `main`",
        ] {
            assert_eq!(left(&format!("{body}\n")), body);
        }
    }

    #[test]
    fn a_sentence_that_speaks_of_the_one_before_keeps_it() {
        let text = "We deploy with `make ship` from `main`. It needs the token of the vault.";
        assert_eq!(left(&format!("{text}\n")), text);
        let apart = "We deploy with `make ship` from `main`.\n\nNobody else may.";
        assert_eq!(left(&format!("{apart}\n")), "Nobody else may.");
    }

    #[test]
    fn below_a_heading_that_only_another_entry_speaks_of_it_is_not_said() {
        let body = "It waits 30 seconds, and never retries.\n";
        assert_eq!(left_with(body, &["Deploys of the canary.\n"], &[]), body.trim(), "`staging` restricts");
        let written = Document::parse("## Canary\n\nIt waits 30 seconds, and never retries.\n");
        let source = Document::parse(body);
        let canary = Document::parse("The canary is small.\n");
        let rest = |others: &[&Document]| lacking(&source, &written, others, &[]).len();
        assert_eq!((rest(&[]), rest(&[&canary])), (0, body.len()), "a heading of the decider's own does not");
    }

    #[test]
    fn what_a_decision_names_goes() {
        let body = "The bell rings. The horn blows.\n\n## Facts\n\n- **who**: ops\n- **bell**: loud\n";
        let rest = left_with(body, &[], &["the bell rings", "Who"]);
        assert_eq!(rest, "The horn blows.\n\n## Facts\n\n- **bell**: loud");
        let source = Document::parse(body);
        let names = ["the bell rings", "Who", "The bell", "nowhere"].map(str::to_owned);
        assert_eq!(unknown_names(&names, &[&source]), ["The bell", "nowhere"]);
    }

    #[test]
    fn texts_of_any_kind_keep_what_was_not_understood() {
        let bytes = b"\xff\xfe".to_vec();
        assert_eq!(lacking(&Document::parse(bytes.clone()), &Document::parse(WRITTEN), &[], &[]), bytes);
        let german = "Wir liefern montags aus. Der Dienst läuft nicht nachts.\n";
        let said = Document::parse("Montags liefern wir aus. Nachts läuft der Dienst nicht.\n");
        assert!(lacking(&Document::parse(german), &said, &[], &[]).is_empty());
        let lie = Document::parse("Montags liefern wir aus. Nachts läuft der Dienst.\n");
        assert_eq!(
            lacking(&Document::parse(german), &lie, &[], &[]),
            b"Der Dienst l\xc3\xa4uft nicht nachts.\n"
        );
    }
}
