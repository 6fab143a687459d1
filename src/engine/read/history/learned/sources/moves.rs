//! What became of commits of the code that knowledge was learned from: a clone that saw one rewritten says so in the next
//! commit of the tree that it makes, so that the other clones know.
//!
//! Kept in a file of the cache. What is lost with it is seen again, or told by another clone.

use crate::open::context::Opened;
use crate::read::history::provenance::Trailers;
use brv_base::fs::{self, Durability, Form};
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::{CommitId, Scope};
use bstr::ByteSlice as _;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The trailer: the recorded commit and the one that stands for it, `<40 hex digits> <40 hex digits>`.
pub const TRAILER: &str = "Brv-Source-Moved";

/// The most such trailers of one commit; more wait for the next.
const MOST: usize = 50;

/// How many steps are followed from one commit to the next.
const STEPS: usize = 20;

/// What is known of moves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moves {
    /// The commit of the tree up to which trailers were read.
    head: Option<String>,
    /// What trailers say, by the recorded commit.
    told: BTreeMap<String, Vec<String>>,
    /// What was seen here.
    seen: BTreeMap<String, String>,
}

impl Moves {
    /// What the history of the tree tells, and what was seen here.
    ///
    /// # Errors
    /// A history that cannot be read.
    pub fn of(opened: &Opened) -> Result<Self, git::Error> {
        let mut moves = Self::kept(opened);
        if moves.refresh(&opened.scope)? {
            moves.keep(opened);
        }
        Ok(moves)
    }

    fn kept(opened: &Opened) -> Self {
        let bytes = fs::read_shipped(&file(opened), Form::Json).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    fn keep(&self, opened: &Opened) {
        if let Ok(bytes) = serde_json::to_vec(self) {
            let _ = fs::replace(&file(opened), &bytes, Durability::Later);
        }
    }

    /// Read the trailers that are new. Whether there is anything to keep.
    fn refresh(&mut self, scope: &Scope) -> Result<bool, git::Error> {
        let (Some(head), true) = (scope.head()?.commit(), scope.prefix().is_empty()) else {
            return Ok(false);
        };
        let known = self.head.as_deref().and_then(CommitId::from_hex);
        if known == Some(head) {
            return Ok(false);
        }
        let known = match known {
            Some(known) if git::revision::is_commit(scope, known)? => {
                Some(known).filter(|known| history::is_ancestor(scope, *known, head).unwrap_or(false))
            }
            _ => None,
        };
        if known.is_none() {
            self.told.clear();
        }
        let range = Range { tips: vec![head], hidden: known.into_iter().collect(), ..Range::default() };
        let told = &mut self.told;
        history::walk(scope, &range, |walked| {
            if walked.commit.message.find(TRAILER).is_some() {
                let trailers = Trailers::of(&walked.commit.message);
                for (recorded, new) in trailers.all(TRAILER).filter_map(pair) {
                    let known = told.entry(recorded.to_string()).or_default();
                    let new = new.to_string();
                    if !known.contains(&new) {
                        known.push(new);
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        self.head = Some(head.to_string());
        Ok(true)
    }

    /// What a commit became in the end, as far as trailers tell, sorted: several if they contradict each other, none if they go
    /// round. Whether it is true is for the caller to find out.
    pub fn told(&self, recorded: CommitId) -> Vec<CommitId> {
        let mut seen: BTreeSet<String> = BTreeSet::from([recorded.to_string()]);
        let mut ends: BTreeSet<CommitId> = BTreeSet::new();
        let mut open = vec![recorded.to_string()];
        while let Some(one) = open.pop().filter(|_| seen.len() < STEPS) {
            for new in self.told.get(&one).into_iter().flatten() {
                if !self.told.contains_key(new) {
                    ends.extend(CommitId::from_hex(new));
                } else if seen.insert(new.clone()) {
                    open.push(new.clone());
                }
            }
        }
        ends.into_iter().collect()
    }

    /// What was seen here and no commit of the tree tells.
    fn untold(&self) -> Vec<(String, String)> {
        let is_told = |old: &String, new: &String| self.told.get(old).is_some_and(|told| told.contains(new));
        let open = self.seen.iter().filter(|(old, new)| !is_told(old, new));
        open.take(MOST).map(|(old, new)| (old.clone(), new.clone())).collect()
    }
}

/// Remember that commits were rewritten into others. What cannot be kept is seen again.
pub fn note(opened: &Opened, pairs: impl IntoIterator<Item = (CommitId, CommitId)>) {
    let mut moves = Moves::kept(opened);
    let before = moves.seen.len();
    let mut is_new = false;
    for (old, new) in pairs {
        let (old, new) = (old.to_string(), new.to_string());
        is_new |= moves.seen.insert(old, new.clone()).is_none_or(|known| known != new);
    }
    if is_new || moves.seen.len() != before {
        moves.keep(opened);
    }
}

/// The trailers of a commit of the tree that is about to be made.
///
/// # Errors
/// A history that cannot be read.
pub fn trailers(opened: &Opened) -> Result<Vec<(&'static str, String)>, git::Error> {
    let kept = Moves::kept(opened);
    if kept.seen.is_empty() || !opened.scope.prefix().is_empty() {
        return Ok(Vec::new());
    }
    let untold = Moves::of(opened)?.untold().into_iter();
    Ok(untold.map(|(old, new)| (TRAILER, format!("{old} {new}"))).collect())
}

fn file(opened: &Opened) -> PathBuf {
    opened.places.cache().join("source-moves")
}

/// Read the value of the trailer; `None` if it has another form.
fn pair(value: &str) -> Option<(CommitId, CommitId)> {
    const DIGITS: usize = 40;
    let (old, new) = value.split_once(' ')?;
    let is_whole = old.len() == DIGITS && new.len() == DIGITS && old != new;
    Some((CommitId::from_hex(old).filter(|_| is_whole)?, CommitId::from_hex(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> CommitId {
        CommitId::from_hex(&digit.to_string().repeat(40)).unwrap()
    }

    fn moves(told: &[(char, char)], seen: &[(char, char)]) -> Moves {
        let mut moves = Moves::default();
        for (old, new) in told {
            moves.told.entry(id(*old).to_string()).or_default().push(id(*new).to_string());
        }
        moves.seen = seen.iter().map(|(old, new)| (id(*old).to_string(), id(*new).to_string())).collect();
        moves
    }

    #[test]
    fn steps_are_followed_to_their_ends_and_circles_have_none() {
        let told = |pairs: &[(char, char)], one| moves(pairs, &[]).told(id(one));
        assert_eq!(told(&[('1', '2'), ('2', '3')], '1'), [id('3')]);
        assert_eq!(told(&[('1', '3'), ('1', '2'), ('2', '4')], '1'), [id('3'), id('4')]);
        assert_eq!(told(&[('1', '2'), ('2', '1')], '1'), []);
        assert_eq!(told(&[('1', '2')], '9'), []);
    }

    #[test]
    fn what_was_seen_is_told_once_and_in_parts() {
        let open = moves(&[('1', '2')], &[('1', '2'), ('3', '4')]).untold();
        assert_eq!(open, [(id('3').to_string(), id('4').to_string())]);
        assert_eq!(moves(&[('1', '2')], &[('1', '3')]).untold().len(), 1);
        let mut many = Moves::default();
        let name = |number: usize| format!("{number:040}");
        many.seen = (0..70).map(|number| (name(number), name(number + 100))).collect();
        assert_eq!(many.untold().len(), MOST);
    }

    #[test]
    fn a_pair_is_two_whole_ids() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        assert_eq!(pair(&format!("{one} {two}")), Some((id('1'), id('2'))));
        for wrong in [one.clone(), format!("{one} {one}"), format!("{one} 123"), format!("x {two}")] {
            assert_eq!(pair(&wrong), None, "{wrong}");
        }
    }
}
