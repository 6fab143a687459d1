//! Dates in a question: `3 May 2024`, `in March`, `2024-05-03`, `2023`.
//!
//! A date in a question is matched to the date of an entry, and its words may still match the text. Month names are
//! English.

use brv_base::english::{self, day_of_month, list};

/// A date; parts of it may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialDate {
    pub year: Option<i32>,
    /// The month, 1 to 12.
    pub month: Option<u32>,
    /// The day, 1 to 31.
    pub day: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u32,
    /// The day, 1 to 31.
    pub day: u32,
}

impl Day {
    /// The day of a time stamp that begins with `YYYY-MM-DD`.
    pub fn of(stamp: &str) -> Option<Self> {
        let mut parts = stamp.get(..10)?.split('-').map(|part| part.parse().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        ((0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Self {
            year,
            month: month as u32,
            day: day as u32,
        })
    }

    /// As one number, from which [`Day::from_number`] makes the day again; never 0.
    pub fn number(self) -> u32 {
        (self.year as u32) << 9 | self.month << 5 | self.day
    }

    /// The day of a number; `None` for 0.
    pub fn from_number(number: u32) -> Option<Self> {
        (number > 0).then_some(Self { year: (number >> 9) as i32, month: number >> 5 & 15, day: number & 31 })
    }
}

/// A word of a question, as dates see it.
pub struct DateWord<'a> {
    /// In lower case.
    pub low: &'a str,
    /// Whether it begins with a capital letter.
    pub is_capital: bool,
}

/// Words before a month's name that show that no verb or first name is meant (`in May`, not `may`).
static BEFORE: list::Set = list::Set::of_words(include_str!("lists/before_months.txt"));

/// The dates among the words of a question, and which words they consist of.
pub fn find(words: &[DateWord<'_>]) -> (Vec<PartialDate>, Vec<bool>) {
    let mut used = vec![false; words.len()];
    let mut found = Vec::new();
    for at in 0..words.len() {
        if used[at] {
            continue;
        }
        if let Some(month) = month(&words[at]) {
            found.extend(around(words, at, month, &mut used));
        } else if let [year_, month, day_, ..] = &words[at..]
            && let (Some(year), Some(month), Some(day)) =
                (year(year_.low), two_digits(month.low, 12), two_digits(day_.low, 31))
        {
            found.push(PartialDate { year: Some(year), month: Some(month), day: Some(day) });
            used[at..at + 3].fill(true);
        }
    }
    for (word, used) in words.iter().zip(&mut used).filter(|(_, used)| !**used) {
        if let Some(year) = year(word.low) {
            *used = true;
            found.push(PartialDate { year: Some(year), month: None, day: None });
        }
    }
    (found, used)
}

/// The date around the month's name at `at`: the day before or after it, the year after.
fn around(words: &[DateWord<'_>], at: usize, month: u32, used: &mut [bool]) -> Option<PartialDate> {
    let mut day_at = None;
    if at > 0 && !used[at - 1] && day_of_month(words[at - 1].low).is_some() {
        day_at = Some(at - 1);
    } else if at > 1 && words[at - 1].low == "of" && day_of_month(words[at - 2].low).is_some() {
        day_at = Some(at - 2);
    } else if words.get(at + 1).is_some_and(|word| day_of_month(word.low).is_some()) {
        day_at = Some(at + 1);
    }
    let after = day_at.unwrap_or(at).max(at) + 1;
    let year = words.get(after).and_then(|word| year(word.low));
    let is_led = at > 0 && BEFORE.contains(words[at - 1].low);
    if day_at.is_none() && year.is_none() && !is_led {
        return None;
    }
    used[at] = true;
    if let Some(day_at) = day_at {
        used[day_at] = true;
    }
    if year.is_some() {
        used[after] = true;
    }
    Some(PartialDate { year, month: Some(month), day: day_at.and_then(|at| day_of_month(words[at].low)) })
}

fn month(word: &DateWord<'_>) -> Option<u32> {
    english::month(word.low, word.is_capital)
}

fn year(word: &str) -> Option<i32> {
    let digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    if digits && (word.starts_with("19") || word.starts_with("20")) { word.parse().ok() } else { None }
}

fn two_digits(word: &str, most: u32) -> Option<u32> {
    if word.len() != 2 {
        return None;
    }
    word.parse().ok().filter(|number| (1..=most).contains(number))
}

/// How well the day of an entry matches a date in a question, 0 to 1. What is asked about a day is often written down
/// a little later, which counts `near`.
pub fn likeness(asked: &PartialDate, day: Day, near: f64) -> f64 {
    let Some(month) = asked.month else {
        return if asked.year == Some(day.year) { 0.3 } else { 0.0 };
    };
    let months = match asked.year {
        Some(year) => (day.year - year) * 12 + day.month as i32 - month as i32,
        None => match day.month as i32 - month as i32 {
            before if before < -6 => before + 12,
            months => months,
        },
    };
    match asked.day {
        None if months == 0 => 1.0,
        None if months == 1 && day.day <= 15 => near,
        None => 0.0,
        Some(asked) => match months * 30 + day.day as i32 - asked as i32 {
            0 => 1.0,
            -1..=10 => near,
            _ => 0.0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Vec<(Option<i32>, Option<u32>, Option<u32>)> {
        let lows: Vec<(String, bool)> = text
            .split([' ', '-', ',', '?'])
            .filter(|word| !word.is_empty())
            .map(|word| (word.to_lowercase(), word.starts_with(char::is_uppercase)))
            .collect();
        let words: Vec<_> =
            lows.iter().map(|(low, is_capital)| DateWord { low, is_capital: *is_capital }).collect();
        find(&words).0.into_iter().map(|date| (date.year, date.month, date.day)).collect()
    }

    #[test]
    fn the_usual_forms_are_dates() {
        assert_eq!(asked("on 3 May 2024"), [(Some(2024), Some(5), Some(3))]);
        assert_eq!(asked("May 3rd, 2024"), [(Some(2024), Some(5), Some(3))]);
        assert_eq!(asked("the 3rd of May"), [(None, Some(5), Some(3))]);
        assert_eq!(asked("since 2024-05-03"), [(Some(2024), Some(5), Some(3))]);
        assert_eq!(asked("in March"), [(None, Some(3), None)]);
        assert_eq!(asked("during 2023"), [(Some(2023), None, None)]);
        assert!(asked("may we march to 42?").is_empty());
    }

    /// The dates of the pairs that all who read dates agree about.
    #[test]
    fn pairs_of_dates_are_the_same_or_others() {
        let pairs = include_str!("../../../fixtures/numbers.txt").lines();
        let pairs: Vec<&str> =
            pairs.filter(|line| line.split(" ~ ").next().unwrap().ends_with(" date")).collect();
        for pair in &pairs {
            let parts: Vec<&str> = pair.split(" ~ ").collect();
            let [one, other] = [asked(parts[1]), asked(parts[2])];
            assert!(
                one.len() == 1 && (one == other) == parts[0].starts_with("same"),
                "{pair}: {one:?} {other:?}"
            );
        }
        assert!(pairs.len() > 5);
    }

    #[test]
    fn a_day_is_one_number() {
        let day = Day::of("2024-05-03T10:00:00Z").unwrap();
        assert_eq!(Day::from_number(day.number()), Some(day));
        assert_eq!((Day::of("2024-13-03"), Day::of("soon"), Day::from_number(0)), (None, None, None));
    }

    #[test]
    fn the_day_itself_matches_best() {
        let day = Day::of("2024-05-03").unwrap();
        let likeness = |year, month, date| likeness(&PartialDate { year, month, day: date }, day, 0.7);
        assert_eq!(likeness(Some(2024), Some(5), Some(3)), 1.0);
        assert_eq!(likeness(None, Some(5), Some(1)), 0.7);
        assert_eq!(likeness(Some(2023), Some(5), Some(3)), 0.0);
        assert_eq!(likeness(Some(2024), None, None), 0.3);
    }
}
