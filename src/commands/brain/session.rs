//! The document of a session: its text stays as the session got it first. What is new, and what the code did to the entries in
//! it, comes after that text.

use super::{BrainCall, BrainSnapshot, Options, kept, since};
use brv_engine::Stop;
use brv_engine::open::state::Ruling;
use brv_engine::read::stale;
use brv_engine::review::Decisions;
use brv_text::brain::{self, Outcome, Since, Stale};
use brv_text::stale::{Freshness, State};
use std::collections::BTreeMap;

impl BrainCall<'_> {
    /// The document that the session got first, with what changed since; if it got none, or that is not known any more,
    /// one made now.
    pub(super) fn of_session(
        &self,
        session: &str,
        current: &BrainSnapshot,
        scope: Option<&str>,
        named: Option<Since>,
    ) -> Result<Outcome, Stop> {
        // what was rejected since is served nowhere any more, nor is what only an approval let through
        let decided = Decisions::read(self.opened).map(|decisions| decisions.all).unwrap_or_default();
        let rejected = decided.iter().filter(|decision| decision.ruling != Ruling::Approved).count();
        let Options { explain, budgets, .. } = self.options;
        let key = format!("{session}\n{}\n{explain} {rejected}", self.options.text());
        let Some(version) = current.version else { return self.anew(current, scope, named.as_ref()) };
        if let Some((then, mut frozen)) = kept::frozen(self.opened, &key)
            && let Some(since) = since::between(self.opened, version, then, &frozen.brain_hash)
        {
            let since = kept::when(self.opened, &frozen.brain_hash, session)
                .into_iter()
                .fold(since, |since, time| since::with_comments(self.opened, since, time));
            let stale = self.look_at_code(&mut frozen);
            let is_named = named.is_some();
            let since = Since {
                stale,
                ..named.unwrap_or_else(|| current.without_withheld(since::inside(since, scope)))
            };
            let since = Some(since).filter(|since| is_named || !since.is_empty());
            return Ok(tailed(frozen, since, budgets.total));
        }
        let outcome = self.anew(current, scope, None)?;
        kept::freeze(self.opened, key, version, &outcome);
        Ok(tailed(outcome, named, budgets.total))
    }

    /// Bring the freshness of what is shown up to date, and the hash with it. Gives what the text does not say yet.
    fn look_at_code(&self, frozen: &mut Outcome) -> Vec<Stale> {
        let items = frozen.layers.iter_mut().flat_map(|layer| &mut layer.items);
        let passages = frozen.passages.iter_mut().flatten();
        let mut shown: Vec<(&str, &mut Option<Freshness>)> = items
            .map(|item| (item.path.as_str(), &mut item.freshness))
            .chain(passages.map(|passage| (passage.path.as_str(), &mut passage.freshness)))
            .collect();
        let paths = shown.iter().map(|(path, _)| *path);
        let found = stale::of_files(self.opened, &self.cx.cwd, paths, None);
        let mut told = BTreeMap::new();
        let mut is_same = true;
        for ((path, then), now) in shown.iter_mut().zip(found) {
            if **then != now {
                told.extend(unsaid(then.as_ref(), now.as_ref()).map(|line| ((*path).to_owned(), line)));
                **then = now;
                is_same = false;
            }
        }
        if !is_same {
            frozen.brain_hash = brain::hash(&[], &format!("{} {shown:?}", frozen.brain_hash), 0, "");
        }
        told.into_iter().map(|(path, line)| Stale { path, line }).collect()
    }
}

/// The news for a reader of the earlier text: that an entry is stale now, or, as `None`, that it no longer is.
fn unsaid(then: Option<&Freshness>, now: Option<&Freshness>) -> Option<Option<String>> {
    let now = now.filter(|now| now.state != State::Unknown)?;
    let (then, line) = (then.and_then(Freshness::line), now.line());
    (then != line).then_some(line)
}

/// The document with what changed after it, in the room that was kept for it.
fn tailed(outcome: Outcome, since: Option<Since>, total: u64) -> Outcome {
    let Some(since) = since else { return outcome };
    let tail = brain::since_text(&since, brain::TAIL.min(total / 4).saturating_sub(1));
    let gap = if tail.is_empty() { "" } else { "\n" };
    let document = format!("{}{gap}{tail}", outcome.document);
    let brain_hash = brain::hash(&[], &outcome.brain_hash, 0, &document);
    let token_estimate = brain::tokens(&document);
    Outcome { document, brain_hash, token_estimate, since: Some(since), ..outcome }
}
