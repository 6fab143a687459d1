//! Make `<name>.overview.md` (L1): gist, key points, entities and patterns of an entry.
//!
//! Made from the digest alone.

use super::abstract_::status;
use super::inline::{cut, opening};
use super::page::{PageBody, PageFields};
use super::{CHARS_PER_TOKEN, Digest, Key, Made, tokens_of};
use brv_base::content::ContentId;

const TOKENS: usize = 1500;

pub fn overview_key(id: ContentId) -> Key {
    Key::of("overview", &[id.as_bytes()])
}

/// The overview of an entry: at most 1,500 tokens, and shorter than the entry.
pub fn overview_of(digest: &Digest) -> Made {
    let body = body(digest, room_for(digest.tokens));
    PageFields::new()
        .plain("maker", "extractive")
        .quoted("source_hash", digest.id)
        .plain("token_count", tokens_of(&body))
        .plain("type", "overview")
        .with_body(overview_key(digest.id), &body)
}

/// The characters for the body: three quarters of the source, minus the frontmatter if the source is long enough.
fn room_for(tokens: u64) -> usize {
    let source = (tokens as usize).saturating_sub(1) * CHARS_PER_TOKEN;
    (source * 3 / 4).min(source.saturating_sub(190).max(source / 2)).min(TOKENS * CHARS_PER_TOKEN)
}

fn body(digest: &Digest, room: usize) -> String {
    let mut page = PageBody::new(room);
    if let Some(title) = digest.title.as_ref().filter(|title| **title != digest.gist) {
        page.block(&format!("# {title}{}", status(digest)));
    }
    if !page.block(&opening(&digest.gist)) {
        page.block(&opening(&cut(&digest.gist, page.left.saturating_sub(4))));
    }
    page.list("Key points", digest.points.iter().map(|point| opening(&point.text)));
    push_names(&mut page, "Entities", &digest.names);
    page.list("Patterns", digest.patterns.iter().map(|pattern| opening(pattern)));
    page.text
}

/// Add a heading with as many names as fit, on one line.
fn push_names(page: &mut PageBody, heading: &str, names: &[String]) {
    let fits = |names: &[String]| page.block(&["## ", heading, "\n\n", &opening(&names.join(", "))].concat());
    (1..=names.len()).rev().map(|count| &names[..count]).any(fits);
}

#[cfg(test)]
mod tests {
    use super::super::digest::tests::{ENTRY, digest};
    use super::*;

    #[test]
    fn it_has_gist_points_entities_and_patterns() {
        let made = overview_of(&digest("auth/jwt.md", ENTRY));
        for part in [
            "# JWT Token Generation\n",
            "\nAccess and refresh tokens",
            "## Key points\n\n- ",
            "## Entities\n\n",
            "## Patterns\n\n- Login",
        ] {
            assert!(made.text.contains(part), "{part} in {}", made.text);
        }
        assert!(made.text.chars().count() <= ENTRY.chars().count());
    }

    #[test]
    fn it_is_never_longer_than_its_source_nor_than_the_limit() {
        let rules: String = (0..400)
            .map(|at| format!("- Rule number {at} about thing{at} must hold for part{at}\n"))
            .collect();
        let long = format!("# T\n\n## Rules\n{rules}");
        for text in ["", "x", "Hi there", "# Title\n\nA sentence of a few words.\n", ENTRY, long.as_str()] {
            let digest = digest("a/b.md", text);
            let made = overview_of(&digest);
            assert!(made.tokens <= digest.tokens && made.tokens <= 1500, "{text}");
        }
        assert_eq!(digest("a/b.md", &long).points.len(), 7);
    }
}
