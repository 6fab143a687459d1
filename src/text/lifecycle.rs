//! The life of an entry: how importance grows with use and fades without it, and how maturity follows it.
//!
//! Pure arithmetic over seconds since 1970. Knows neither where the numbers are kept nor who uses an entry.
//!
//! An event stores the importance that an entry has at that moment, and the moment. Everything in between is computed
//! when it is read, so that nothing has to be rewritten while time passes. A clock that was set back counts as a clock
//! that stood still.

/// The importance of an entry at first sight.
pub const START: f64 = 50.0;
pub const MOST: f64 = 100.0;
pub const DAY: i64 = 86_400;
/// For how long an entry is too new to be judged by its importance: 30 days.
pub const YOUTH: i64 = 30 * DAY;

/// What a caller's use of an entry adds.
const HIT: f64 = 3.0;
const UPDATE: f64 = 5.0;
/// What remains of the importance after a day.
const DAILY: f64 = 0.995;
/// After how many days without a change recency is 1/e: half after about 21.
const FADING_DAYS: f64 = 30.0;

/// How settled an entry is.
// in their order: the later, the more settled
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Maturity {
    /// Not confirmed by use.
    #[default]
    Draft,
    /// Confirmed.
    Validated,
    /// Relied on.
    Core,
}

impl Maturity {
    /// The importance at which an entry becomes more mature, and below which it becomes less mature. The gap between
    /// the two keeps an entry from changing back and forth.
    const fn bounds(self) -> (f64, f64) {
        match self {
            Self::Draft => (65.0, 0.0),
            Self::Validated => (85.0, 35.0),
            Self::Core => (f64::INFINITY, 60.0),
        }
    }

    /// The maturity of an entry of this maturity once it has this importance.
    pub fn at(self, importance: f64) -> Self {
        let (promotion, demotion) = self.bounds();
        let next = match self {
            Self::Draft | Self::Validated if importance >= promotion => self.next(),
            Self::Validated | Self::Core if importance < demotion => self.previous(),
            _ => return self,
        };
        next.at(importance)
    }

    const fn next(self) -> Self {
        match self {
            Self::Draft => Self::Validated,
            Self::Validated | Self::Core => Self::Core,
        }
    }

    const fn previous(self) -> Self {
        match self {
            Self::Core => Self::Validated,
            Self::Validated | Self::Draft => Self::Draft,
        }
    }

    /// The factor of the compound score of a search for each maturity: the tier boosts of the sources.
    pub const fn boost(self) -> f64 {
        match self {
            Self::Draft => 1.0,
            Self::Validated => 1.08,
            Self::Core => 1.15,
        }
    }

    /// The maturity with this [`Maturity::boost`].
    pub fn of_boost(boost: f64) -> Self {
        let has = |maturity: &Self| maturity.boost() >= boost;
        [Self::Draft, Self::Validated].into_iter().find(has).unwrap_or(Self::Core)
    }

    /// The word for it: `draft`, `validated` or `core`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Validated => "validated",
            Self::Core => "core",
        }
    }
}

/// What is known about an entry at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Life {
    /// The importance at [`Life::at`], from 0 to [`MOST`].
    pub importance: f64,
    /// The maturity at that moment.
    pub maturity: Maturity,
    /// The moment of the newest signal, in seconds since 1970.
    pub at: i64,
    /// How often the entry served a caller, once per session.
    pub hits: u64,
    /// How often curation updated it.
    pub updates: u64,
    /// When it was first seen on this machine.
    pub first_seen: i64,
}

impl Life {
    /// An entry that was first seen at this moment, and not used since.
    pub const fn seen(first_seen: i64) -> Self {
        Self { importance: START, maturity: Maturity::Draft, at: first_seen, hits: 0, updates: 0, first_seen }
    }

    /// The same entry at a later moment, if nothing happened to it in between.
    pub fn at(self, now: i64) -> Self {
        let importance = self.importance * DAILY.powf(days(self.at, now));
        Self { importance, maturity: self.maturity.at(importance), at: now, ..self }
    }

    /// After it served a caller.
    pub fn hit(self, now: i64) -> Self {
        Self { hits: self.hits.saturating_add(1), ..self.grown(HIT, now) }
    }

    pub fn updated(self, now: i64) -> Self {
        Self { updates: self.updates.saturating_add(1), ..self.grown(UPDATE, now) }
    }

    fn grown(self, by: f64, now: i64) -> Self {
        let life = self.at(now);
        let importance = (life.importance + by).clamp(0.0, MOST);
        Self { importance, maturity: life.maturity.at(importance), ..life }
    }

    /// The entry that two entries were merged into: the greater importance and maturity, the sum of the counters, the
    /// earlier first sight.
    pub fn merged(self, other: Self, now: i64) -> Self {
        let (one, other) = (self.at(now), other.at(now));
        let importance = one.importance.max(other.importance);
        Self {
            importance,
            maturity: one.maturity.max(other.maturity).at(importance),
            at: now,
            hits: one.hits.saturating_add(other.hits),
            updates: one.updates.saturating_add(other.updates),
            first_seen: one.first_seen.min(other.first_seen),
        }
    }
}

/// How recently an entry changed: 1 at the moment of its last change, then falling towards 0.
pub fn recency(last_change: i64, now: i64) -> f64 {
    (-days(last_change, now) / FADING_DAYS).exp()
}

/// The days from one moment to another; 0 if the other is earlier.
fn days(from: i64, to: i64) -> f64 {
    to.saturating_sub(from).max(0) as f64 / DAY as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A moment in the years that tests are about.
    const NOW: i64 = 1_795_000_000;

    fn after(days: f64) -> i64 {
        NOW + (days * DAY as f64) as i64
    }

    fn lives() -> impl Strategy<Value = Life> {
        let maturity = prop::sample::select(&[Maturity::Draft, Maturity::Validated, Maturity::Core][..]);
        (0.0..=MOST, maturity, 0..4_000_i64, 0..50_u64, 0..50_u64).prop_map(
            |(importance, maturity, age, hits, updates)| {
                let at = NOW - age * DAY / 10;
                let maturity = maturity.at(importance);
                Life { importance, maturity, at, hits, updates, first_seen: at - DAY }
            },
        )
    }

    #[test]
    fn the_numbers_are_those_of_the_contract() {
        let life = Life::seen(NOW);
        assert_eq!((life.importance, life.maturity), (50.0, Maturity::Draft));
        assert_eq!(life.hit(NOW).importance, 53.0);
        assert_eq!(life.updated(NOW).importance, 55.0);
        let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(close(life.at(after(1.0)).importance, 49.75));
        assert!(close(life.at(after(30.0)).importance, 50.0 * 0.995_f64.powi(30)));
        assert!(close(recency(NOW, after(30.0)), (-1.0_f64).exp()));
        assert_eq!(recency(after(1.0), NOW), 1.0, "a change in the future is recent");
        assert_eq!(life.at(NOW - DAY).importance, 50.0, "the clock was set back");
    }

    #[test]
    fn maturity_rises_and_falls_at_different_importances() {
        use Maturity::{Core, Draft, Validated};
        let rising = [(64.9, Draft), (65.0, Validated), (84.9, Validated), (85.0, Core)];
        let mut maturity = Draft;
        for (importance, expected) in rising {
            maturity = maturity.at(importance);
            assert_eq!(maturity, expected, "{importance}");
        }
        for (importance, expected) in [(60.0, Core), (59.9, Validated), (35.0, Validated), (34.9, Draft)] {
            maturity = maturity.at(importance);
            assert_eq!(maturity, expected, "{importance}");
        }
        assert_eq!(Draft.at(90.0), Core, "two steps at once");
        assert_eq!(Core.at(20.0), Draft);
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn importance_stays_in_its_bounds_and_events_never_lower_it(
            life in lives(),
            events in prop::collection::vec((any::<bool>(), 0..400_i64), 0..40),
        ) {
            let (mut life, mut now) = (life, NOW);
            for (is_hit, days) in events {
                now += days * DAY / 10;
                let before = life.at(now);
                life = if is_hit { life.hit(now) } else { life.updated(now) };
                prop_assert!((0.0..=MOST).contains(&life.importance));
                prop_assert!(life.importance >= before.importance && life.maturity >= before.maturity);
                prop_assert_eq!(life.hits + life.updates, before.hits + before.updates + 1);
            }
        }

        #[test]
        fn time_alone_only_lowers_and_a_look_in_between_changes_nothing(
            life in lives(), first in 0..5_000_i64, second in 0..5_000_i64,
        ) {
            let (middle, end) = (NOW + first * DAY / 10, NOW + (first + second) * DAY / 10);
            let (at_once, looked_at) = (life.at(end), life.at(middle).at(end));
            prop_assert!((at_once.importance - looked_at.importance).abs() < 1e-9);
            prop_assert!(at_once.importance <= life.importance && at_once.maturity <= life.maturity);
        }

        #[test]
        fn the_order_of_two_entries_does_not_change_with_time(
            one in lives(), other in lives(), days in 0..3_000_i64,
        ) {
            let difference = |now| one.at(now).importance - other.at(now).importance;
            let (before, after) = (difference(NOW), difference(NOW + days * DAY));
            prop_assert!(before * after >= 0.0 || before.abs().min(after.abs()) < 1e-9);
        }

        #[test]
        fn maturity_settles_and_stays_within_the_gaps(life in lives(), importance in 0.0..=MOST) {
            let settled = life.maturity.at(importance);
            prop_assert_eq!(settled.at(importance), settled);
            let in_a_gap = match life.maturity {
                Maturity::Draft => importance < 65.0,
                Maturity::Validated => (35.0..85.0).contains(&importance),
                Maturity::Core => importance >= 60.0,
            };
            prop_assert_eq!(in_a_gap, settled == life.maturity);
        }

        #[test]
        fn a_merge_takes_the_greater_importance_and_all_counts(one in lives(), other in lives()) {
            let merged = one.merged(other, NOW);
            prop_assert_eq!(merged, other.merged(one, NOW));
            prop_assert_eq!(merged.importance, one.at(NOW).importance.max(other.at(NOW).importance));
            prop_assert_eq!(merged.hits, one.hits + other.hits);
            prop_assert_eq!(merged.updates, one.updates + other.updates);
            prop_assert_eq!(merged.maturity.at(merged.importance), merged.maturity);
        }
    }
}
