//! Make `<name>.abstract.md` (L0): title, gist and the strongest statement on one line of about 80 tokens.
//!
//! Made from the digest alone.

use super::inline::{cut, opening};
use super::page::PageFields;
use super::{CHARS_PER_TOKEN, Digest, Key, Made, tokens_of};
use brv_base::content::ContentId;

const TOKENS: usize = 80;

pub fn abstract_key(id: ContentId) -> Key {
    Key::of("abstract", &[id.as_bytes()])
}

pub fn abstract_of(digest: &Digest) -> Made {
    // never longer than its source
    let room = (TOKENS * CHARS_PER_TOKEN)
        .min(digest.tokens as usize * CHARS_PER_TOKEN)
        .saturating_sub(CHARS_PER_TOKEN);
    let line = opening(&cut(&line(digest, room), room.saturating_sub(2)));
    let body = if line.is_empty() { String::new() } else { format!("{line}\n") };
    PageFields::new()
        .plain("maker", "extractive")
        .quoted("source_hash", digest.id)
        .plain("token_count", tokens_of(&body))
        .plain("type", "abstract")
        .with_body(abstract_key(digest.id), &body)
}

/// `Title: gist. Statement.` with as many statements as fit.
fn line(digest: &Digest, room: usize) -> String {
    let mut line = match &digest.title {
        Some(title) if *title != digest.gist => format!("{title}{}: {}", status(digest), digest.gist),
        _ => digest.gist.clone(),
    };
    for point in &digest.points {
        let end = match line.chars().next_back() {
            None | Some('.' | '!' | '?' | '。' | '！' | '？' | '…' | '।') => "",
            Some('\u{3040}'..='\u{9fff}') => "。",
            Some(_) => ".",
        };
        if line.chars().count() + point.text.chars().count() + 4 <= room {
            line.extend([end, " ", &point.text]);
        }
    }
    line.trim().to_owned()
}

/// The status that a reader has to know first: the entry is open, or no longer valid.
pub(super) fn status(digest: &Digest) -> String {
    match digest.status.as_deref() {
        None | Some("done") => String::new(),
        Some(status) => format!(" ({status})"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::digest::tests::{ENTRY, digest};
    use super::super::stamp::{self, Stamp};
    use super::*;

    fn body(made: &Made) -> &str {
        made.text.split_once("\n---\n").map_or("", |(_, body)| body.trim())
    }

    #[test]
    fn it_is_one_line_of_at_most_eighty_tokens() {
        let made = abstract_of(&digest("auth/jwt.md", ENTRY));
        assert!(
            body(&made).starts_with("JWT Token Generation: Access and refresh tokens with RS256 signing. ")
        );
        assert!(!body(&made).contains('\n') && made.tokens <= 80 && made.tokens > 30, "{}", made.text);
        assert_eq!(stamp::read(made.text.as_bytes()), Stamp::Ours { key: made.key });
    }

    #[test]
    fn it_is_never_longer_than_its_source() {
        for text in ["", "x", "Hi there", "# Title only\n", "A sentence of a few words.", "観測する。"] {
            let digest = digest("a/b.md", text);
            assert!(abstract_of(&digest).tokens <= digest.tokens, "{text}");
        }
    }

    #[test]
    fn a_superseded_entry_says_so() {
        let text = "---\ntitle: Old way\nsummary: How it was done\nstatus: superseded\n---\nSome more words to be longer.\n";
        assert!(
            body(&abstract_of(&digest("a/b.md", text))).starts_with("Old way (superseded): How it was done")
        );
    }
}
