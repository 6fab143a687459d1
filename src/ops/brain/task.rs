//! What a task needs: the passages of a query, of entries that still hold. That they are shown is no use of them.

use super::Options;
use crate::brief::Passage;
use crate::doc::{self, Document, Status};
use crate::ops::context::Opened;
use crate::ops::steps::searching::{self, Freshness, HITS, HitKind, Hits, Refusal, Wanted};
use crate::ops::{Context, Stop};

/// The longest passage, in characters: so that several entries have room.
const LONGEST: usize = 900;

/// The passages, best first.
pub(super) fn passages(
    cx: &Context<'_>,
    opened: &Opened,
    words: &str,
    options: &Options,
) -> Result<Vec<Passage>, Stop> {
    searching::checked(words).map_err(Refusal::from)?;
    let wanted = Wanted { text: words, limit: HITS, scope: None, folders: false, now: cx.clock.seconds() };
    let (_, found) = searching::answered(opened, Freshness::Window, cx.progress, |sought| {
        let scoped = searching::scoped(sought, words, options.scope.as_deref())?;
        let asked = searching::ask(sought, scoped, &wanted, crate::search::Found::is_covered)?;
        Ok::<_, Refusal>(of(&asked.hits))
    })?;
    Ok(found)
}

fn of(hits: &Hits) -> Vec<Passage> {
    let passage = |hit| {
        let bytes = hits.bytes_of(hit);
        let document = Document::parse(bytes);
        let is_retired = matches!(document.meta().status, Some(Status::Superseded | Status::Deprecated));
        let passage = hit.passage.filter(|_| !is_retired && HitKind::of(hit) != HitKind::Stub)?;
        let text = searching::text_of(&document, hit, LONGEST, LONGEST);
        let is_disputed = doc::may_dispute(bytes) && !doc::disputes(&document).is_empty();
        let path = hit.path.to_string();
        (!text.trim().is_empty()).then_some(Passage { path, line: passage.line, text, is_disputed })
    };
    searching::near(hits).filter_map(passage).collect()
}
