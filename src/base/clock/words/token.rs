//! Splits a date into tokens: numbers in the documented forms, and names.
//!
//! The parent module gives them meaning together.

use crate::english::{Dimension, Unit, cardinal, month_name, unit};
use chrono::{Days, FixedOffset, NaiveDate, NaiveTime};
use std::ops::RangeInclusive;
use std::str::FromStr;

const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";
/// How many letters a name has at least.
const SHORTEST: usize = 3;
pub const DAY: i64 = 86_400;
/// Years of four digits, so that calendar arithmetic has room around them.
pub const YEARS: RangeInclusive<i32> = 1..=9999;

/// The smallest meaningful piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// A number of the unit after it.
    Number(i64),
    /// A unit of so many seconds.
    Seconds(i64),
    /// A unit of so many months of the calendar.
    Months(i64),
    /// From Monday, which is 0.
    Weekday(i64),
    /// From January, which is 1.
    Month(u32),
    Date(NaiveDate),
    Time(NaiveTime),
    /// The last time that it was this hour.
    Hour(u32),
    /// AM or PM: the hours that it adds.
    Half(u32),
    /// A word that marks a time of the day.
    Zone(FixedOffset),
    /// Seconds since 1970.
    Stamp(i64),
}

/// The tokens of a text in lower case; `None` if one of them is unknown.
pub fn tokens(text: &str) -> Option<Vec<Token>> {
    let is_gap = |sign: char| sign.is_whitespace() || sign == ',';
    let mut tokens = Vec::new();
    for part in text.split(is_gap).filter(|part| !part.is_empty()) {
        let (part, half) = split_half(part);
        match figures(part) {
            Some(found) => tokens.extend(found),
            None => words(part, &mut tokens)?,
        }
        tokens.extend(half);
    }
    Some(tokens)
}

/// `3pm` as `3` and `pm`.
fn split_half(part: &str) -> (&str, Option<Token>) {
    for (name, half) in [("am", Token::Half(0)), ("pm", Token::Half(12))] {
        if let Some(rest) = part.strip_suffix(name)
            && rest.ends_with(|sign: char| sign.is_ascii_digit())
        {
            return (rest, Some(half));
        }
    }
    (part, None)
}

/// `2.weeks.ago`, or one word.
fn words(part: &str, tokens: &mut Vec<Token>) -> Option<()> {
    let said = |word: &&str| !matches!(*word, "" | "ago" | "at" | "on");
    for word in part.split(['.', '-', '_']).filter(said) {
        match word {
            "now" => tokens.extend([Token::Number(0), Token::Seconds(1)]),
            "today" => tokens.extend([Token::Number(0), Token::Seconds(DAY)]),
            "yesterday" => tokens.extend([Token::Number(1), Token::Seconds(DAY)]),
            _ => tokens.push(name(word).or_else(|| name(word.strip_suffix('s')?))?),
        }
    }
    Some(())
}

fn name(word: &str) -> Option<Token> {
    Some(match word {
        "last" => Token::Number(1),
        "midnight" => Token::Hour(0),
        "noon" => Token::Hour(12),
        "tea" => Token::Hour(17),
        "am" => Token::Half(0),
        "pm" => Token::Half(12),
        _ => {
            let weekday = || WEEKDAYS.split(' ').position(|name| is_name(word, name));
            let is_month = |month: &u32| month_name(*month).is_some_and(|name| is_name(word, name));
            if let Some(count) = number(word).or_else(|| cardinal(word).map(i64::from)) {
                Token::Number(count)
            } else if let Some(unit) = unit(word).filter(|_| word.len() >= SHORTEST) {
                distance(unit)?
            } else if let Some(weekday) = weekday() {
                Token::Weekday(weekday.try_into().ok()?)
            } else {
                Token::Month((1..=12).find(is_month)?)
            }
        }
    })
}

/// A unit of whole seconds, or of the calendar.
fn distance(unit: Unit) -> Option<Token> {
    match unit.symbol {
        "month" => Some(Token::Months(1)),
        "year" => Some(Token::Months(12)),
        _ => (unit.dimension == Dimension::Time && unit.factor >= 1.0)
            .then_some(Token::Seconds(unit.factor as i64)),
    }
}

/// Whether it is the name or at least its first three letters.
fn is_name(word: &str, name: &str) -> bool {
    word == name || word.len() >= SHORTEST && name.starts_with(word)
}

/// Dates, times, zones and seconds since 1970 in digits.
fn figures(part: &str) -> Option<Vec<Token>> {
    if let Some(one) = stamp(part).or_else(|| date(part)).or_else(|| zone(part)) {
        return Some(vec![one]);
    }
    if let Some((day, time)) = part.split_once('t')
        && let Some(date) = date(day)
    {
        return Some([vec![date], time_in_zone(time)?].concat());
    }
    part.contains(':').then(|| time_in_zone(part))?
}

/// `@1700000000`; with nine digits or more the sign is optional.
fn stamp(part: &str) -> Option<Token> {
    let plain = || part.strip_prefix('@').or_else(|| (part.len() > 8).then_some(part));
    number(plain()?).map(Token::Stamp)
}

/// `YYYY-MM-DD`, also with points or slashes, `YYYYMMDD`, `MM/DD/YYYY`, `DD.MM.YYYY`.
fn date(part: &str) -> Option<Token> {
    let parts: Vec<&str> = match part.find(['-', '.', '/']) {
        Some(at) => part.split(&part[at..=at]).collect(),
        None if part.len() == 8 && part.is_ascii() => vec![&part[..4], &part[4..6], &part[6..]],
        None => return None,
    };
    let [first, second, third] = parts[..] else { return None };
    let (year, month, day) = match (first.len(), part.contains('/')) {
        (4, _) => (first, second, third),
        (_, true) => (third, first, second),
        (_, false) => (third, second, first),
    };
    let year = number(year).filter(|_| year.len() == 4)?;
    Some(Token::Date(calendar_day(year, number(month)?, number(day)?)?))
}

/// A day of the calendar. Days beyond the end of a month run into the next: 31 February is 3 March.
pub fn calendar_day(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    let year = Some(year).filter(|year| YEARS.contains(year))?;
    let days = day.checked_sub(1).filter(|days| *days < 31)?;
    NaiveDate::from_ymd_opt(year, month, 1)?.checked_add_days(Days::new(days.into()))
}

/// `18:30`, `18:30:05`, `183005`, with fractions of a second (ignored) and a zone.
fn time_in_zone(part: &str) -> Option<Vec<Token>> {
    let (time, rest) = part.split_at(part.find(['+', '-', 'z']).unwrap_or(part.len()));
    let (time, parts_of_second) = time.split_once('.').unwrap_or((time, "0"));
    number::<u64>(parts_of_second)?;
    let parts: Vec<&str> = match time.len() {
        4 | 6 if number::<u32>(time).is_some() => {
            (0..time.len()).step_by(2).map(|at| &time[at..at + 2]).collect()
        }
        _ => time.split(':').collect(),
    };
    let (hour, minute, second) = match parts[..] {
        [hour, minute] => (hour, minute, "0"),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let time = NaiveTime::from_hms_opt(number(hour)?, number(minute)?, number(second)?)?;
    let mut tokens = vec![Token::Time(time)];
    if !rest.is_empty() {
        tokens.push(zone(rest)?);
    }
    Some(tokens)
}

/// `+0100`, `+01:00`, `+01`, `Z`, and the names in section 4.3 of RFC 2822.
fn zone(part: &str) -> Option<Token> {
    let seconds = match part {
        "z" | "ut" | "utc" | "gmt" => 0,
        "edt" => -4 * 3600,
        "est" | "cdt" => -5 * 3600,
        "cst" | "mdt" => -6 * 3600,
        "mst" | "pdt" => -7 * 3600,
        "pst" => -8 * 3600,
        _ => {
            let sign = if part.starts_with('-') { -1 } else { 1 };
            let digits = part.strip_prefix(['+', '-'])?.replacen(':', "", 1);
            let (hours, minutes) =
                digits.split_at_checked(2).filter(|(_, rest)| matches!(rest.len(), 0 | 2))?;
            let minutes = if minutes.is_empty() { 0 } else { number(minutes)? };
            sign * (number::<i32>(hours)? * 3600 + minutes * 60)
        }
    };
    FixedOffset::east_opt(seconds).map(Token::Zone)
}

/// Digits only: no sign.
fn number<T: FromStr>(digits: &str) -> Option<T> {
    digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())?
}
