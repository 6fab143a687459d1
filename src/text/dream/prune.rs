//! Which entries have become weak: by their importance, or by their age.

use crate::lifecycle::Maturity;
use brv_base::path::TreePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why an entry counts as weak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DreamSignal")]
pub enum Signal {
    /// Its importance has decayed.
    Importance,
    /// Its content has not changed for long.
    Staleness,
    /// No branch of the code has the commits any more that all of it comes from.
    Unmerged,
    /// Its status says that another one took its place.
    Superseded,
}

/// What is known of an entry to judge it.
#[derive(Debug, Clone, PartialEq)]
pub struct PruneEvidence {
    /// Where it is.
    pub path: TreePath,
    /// Its importance now, 0 to 100.
    pub importance: f64,
    /// Its maturity.
    pub maturity: Maturity,
    /// Days since its content changed.
    pub days: i64,
    /// Whether it is pinned.
    pub pinned: bool,
    /// For how many days this machine has had signals of it; 0 where no entry ever served a caller here.
    pub signals_known_days: i64,
    /// When it last served a caller on this machine, in seconds since 1970.
    pub used_at: Option<i64>,
    /// Whether its status is `superseded`.
    pub is_superseded: bool,
    /// Whether all of it comes from commits of the code that no branch has had for long.
    pub is_unmerged: bool,
}

/// Below this importance a draft may be archived.
const LEAST: f64 = 35.0;
/// For how many days signals must be known before importance counts: a fresh clone has none.
const YOUTH: i64 = 30;
/// After how many days without a change a draft is stale, and a validated entry.
const STALE: [i64; 2] = [60, 120];
/// The most candidates of one dream.
const MOST: usize = 20;

/// Why an entry is weak, if it is. Core and pinned entries never are.
pub fn signal(standing: &PruneEvidence) -> Option<Signal> {
    let stale = match standing.maturity {
        _ if standing.pinned => return None,
        Maturity::Core => return None,
        Maturity::Draft => STALE[0],
        Maturity::Validated => STALE[1],
    };
    if standing.is_superseded {
        return Some(Signal::Superseded);
    }
    if standing.is_unmerged {
        return Some(Signal::Unmerged);
    }
    let is_known = standing.signals_known_days >= YOUTH;
    if standing.maturity == Maturity::Draft && standing.importance < LEAST && is_known {
        return Some(Signal::Importance);
    }
    (standing.days >= stale).then_some(Signal::Staleness)
}

/// The weak ones of these, at most 20: superseded entries first, then the least used, and of equals the stalest.
pub fn weak(standings: Vec<PruneEvidence>) -> Vec<(PruneEvidence, Signal)> {
    let mut weak: Vec<(PruneEvidence, Signal)> =
        standings.into_iter().filter_map(|one| signal(&one).map(|signal| (one, signal))).collect();
    let key = |(one, signal): &(PruneEvidence, Signal)| (*signal != Signal::Superseded, one.used_at);
    weak.sort_by(|one, other| {
        let importance = one.0.importance.total_cmp(&other.0.importance);
        let order = key(one).cmp(&key(other)).then(importance).then(other.0.days.cmp(&one.0.days));
        order.then_with(|| one.0.path.cmp(&other.0.path))
    });
    weak.truncate(MOST);
    weak
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(importance: f64, maturity: Maturity, days: i64) -> PruneEvidence {
        let path = TreePath::parse(b"a/b.md").unwrap();
        PruneEvidence {
            path,
            importance,
            maturity,
            days,
            pinned: false,
            signals_known_days: YOUTH,
            used_at: None,
            is_superseded: false,
            is_unmerged: false,
        }
    }

    #[test]
    fn the_thresholds_are_those_of_the_contract() {
        use Maturity::{Core, Draft, Validated};
        for (importance, maturity, days, expected) in [
            (34.9, Draft, 0, Some(Signal::Importance)),
            (35.0, Draft, 59, None),
            (35.0, Draft, 60, Some(Signal::Staleness)),
            (34.9, Validated, 119, None),
            (90.0, Validated, 120, Some(Signal::Staleness)),
            (1.0, Core, 9_000, None),
            (10.0, Draft, -3, Some(Signal::Importance)),
        ] {
            assert_eq!(
                signal(&standing(importance, maturity, days)),
                expected,
                "{importance} {maturity:?} {days}"
            );
        }
        let young = PruneEvidence { signals_known_days: YOUTH - 1, ..standing(1.0, Draft, 0) };
        assert_eq!(signal(&young), None, "a fresh clone archives nothing");
        let unmerged = PruneEvidence { is_unmerged: true, ..standing(90.0, Draft, 0) };
        assert_eq!(signal(&unmerged), Some(Signal::Unmerged));
        assert_eq!(signal(&PruneEvidence { pinned: true, ..unmerged }), None);
        assert_eq!(signal(&PruneEvidence { pinned: true, ..standing(1.0, Draft, 900) }), None);
    }

    #[test]
    fn what_is_superseded_comes_first_then_what_is_used_least_and_there_are_twenty_at_most() {
        let named = |name: &str| PruneEvidence {
            path: TreePath::parse(name.as_bytes()).unwrap(),
            ..standing(50.0, Maturity::Draft, 70)
        };
        let all = vec![
            PruneEvidence { used_at: Some(9), ..named("a/a.md") },
            PruneEvidence { days: 80, ..named("a/c.md") },
            named("a/b.md"),
            PruneEvidence { importance: 40.0, ..named("a/e.md") },
            PruneEvidence { used_at: Some(5), ..named("a/d.md") },
            PruneEvidence { is_superseded: true, used_at: Some(99), days: 0, ..named("a/z.md") },
        ];
        let order = |all| -> Vec<String> {
            weak(all).iter().map(|(one, _)| one.path.file_name().trim_end_matches(".md").to_owned()).collect()
        };
        assert_eq!(order(all), ["z", "e", "c", "b", "d", "a"]);
        let many = (0..30).map(|at| named(&format!("a/{at}.md"))).collect();
        assert_eq!(order(many).len(), MOST);
    }
}
