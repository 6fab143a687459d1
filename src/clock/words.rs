//! Moments as people write them to git: `2024-11-20`, `2.weeks.ago`, `yesterday`, `noon last friday`, `@1700000000`.
//!
//! As in git, words that mean nothing are passed over, and what is not said is taken from now: `2024-11-20` is that day at
//! this time of it. Knows no command.

use chrono::{
    Datelike as _, Days, FixedOffset, Local, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Timelike as _,
};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] =
    ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];
const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const SPANS: [(&str, i64); 5] =
    [("seconds", 1), ("minutes", 60), ("hours", 3600), ("days", DAY), ("weeks", 7 * DAY)];
/// Hours east of Greenwich.
const ZONES: [(&str, i64); 12] = [
    ("UTC", 0),
    ("GMT", 0),
    ("Z", 0),
    ("CET", 1),
    ("CEST", 2),
    ("EET", 2),
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("MST", -7),
    ("PST", -8),
    ("PDT", -7),
];
const DAY: i64 = 24 * 60 * 60;
/// Longer numbers are seconds since 1970, shorter ones may be a day written in one piece.
const LEAST_EPOCH: i64 = 100_000_000;
/// How far ahead of now a day may be that is written in an ambiguous order.
const NEAR_FUTURE: i64 = 10 * DAY;

/// Seconds since 1970; `None` where no word of the text means anything. Days and times of day are those of this machine's
/// time zone, unless the text names another one.
#[must_use]
pub fn moment(text: &str, now: i64) -> Option<i64> {
    exact(text, now).or_else(|| Guess::new(now)?.read(text))
}

/// What is known of a moment so far. Months and weekdays count from 0.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
}

impl Parts {
    fn of(moment: NaiveDateTime) -> Self {
        Self {
            year: Some(moment.year().into()),
            month: Some(moment.month0().into()),
            day: Some(moment.day().into()),
            hour: Some(moment.hour().into()),
            minute: Some(moment.minute().into()),
            second: Some(moment.second().into()),
        }
    }

    const fn has_no_date(&self) -> bool {
        self.year.is_none() && self.month.is_none() && self.day.is_none()
    }

    /// Days behind the end of the month are days of the next one.
    fn to_naive(self) -> Option<NaiveDateTime> {
        let year = i32::try_from(self.year?).ok()?;
        let first = NaiveDate::from_ymd_opt(year, u32::try_from(self.month? + 1).ok()?, 1)?;
        let day = first.checked_add_days(Days::new(u64::try_from(self.day? - 1).ok()?))?;
        let seconds = self.hour? * 3600 + self.minute? * 60 + self.second?;
        day.and_hms_opt(0, 0, 0)?.checked_add_signed(TimeDelta::try_seconds(seconds)?)
    }

    /// As a moment of this machine's time zone.
    fn to_local(self) -> Option<i64> {
        let naive = self.to_naive()?;
        let found = Local.from_local_datetime(&naive);
        found.earliest().map(|moment| moment.timestamp()).or_else(|| Some(naive.and_utc().timestamp()))
    }

    fn set_time(&mut self, hour: i64, minute: i64, second: i64) -> bool {
        let fits = (0..=24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
        if fits {
            (self.hour, self.minute, self.second) = (Some(hour), Some(minute), Some(second));
        }
        fits
    }

    /// A day, unless it is none, or later than `latest`. Without a year it is the year of `latest`.
    fn set_date(&mut self, year: Option<i64>, month: i64, day: i64, latest: Option<i64>) -> bool {
        if !(1..13).contains(&month) || !(1..32).contains(&day) {
            return false;
        }
        let mut found = Self { month: Some(month - 1), day: Some(day), ..*self };
        found.year = match (year, latest) {
            (None, None) => return false,
            (None, Some(latest)) => local(latest).map(|now| now.year().into()),
            (Some(year @ 1970..2100), _) => Some(year),
            (Some(year @ 71..100), _) => Some(year + 1900),
            (Some(year @ 0..38), _) => Some(year + 2000),
            _ => return false,
        };
        if let (Some(latest), Some(moment)) = (latest, found.to_naive())
            && moment.and_utc().timestamp() > latest + NEAR_FUTURE
        {
            return false;
        }
        let year_now = self.year;
        *self = found;
        if year.is_none() {
            self.year = year_now;
        }
        true
    }

    /// `12:30:00`, `2024-11-20`, `20.11.2024`, `11/20/24`: the length of what was read, 0 if it is none of them.
    fn set_numbers(&mut self, text: &str, now: i64) -> usize {
        let first = digits(text);
        let Some(sign) = text[first..].chars().next().filter(|sign| ":-/.".contains(*sign)) else { return 0 };
        let second = digits(&text[first + 1..]);
        if second == 0 {
            return 0;
        }
        let mut end = first + 1 + second;
        let (one, two) = (number(&text[..first]), number(&text[first + 1..end]));
        let mut three = None;
        let more = text[end..].strip_prefix(sign).map_or(0, digits);
        if more > 0 {
            three = Some(number(&text[end + 1..end + 1 + more]));
            end += 1 + more;
        }
        let is_read = if sign == ':' {
            self.set_time(one, two, three.unwrap_or(0))
        } else {
            self.set_any_date(sign, [Some(one), Some(two), three], now)
        };
        if !is_read {
            return 0;
        }
        let fraction = text[end..].strip_prefix('.').map_or(0, digits);
        let has_fraction = sign == ':' && fraction > 0 && !self.has_no_date();
        end + if has_fraction { 1 + fraction } else { 0 }
    }

    fn set_any_date(&mut self, sign: char, [one, two, three]: [Option<i64>; 3], now: i64) -> bool {
        let (first, second) = (one.unwrap_or(-1), two.unwrap_or(-1));
        let third = three.unwrap_or(-1);
        if first > 70 && (self.set_date(one, second, third, None) || self.set_date(one, third, second, None))
        {
            return true;
        }
        let month_first = |parts: &mut Self| parts.set_date(three, first, second, Some(now));
        let day_first = |parts: &mut Self| parts.set_date(three, second, first, Some(now));
        match sign {
            '.' => day_first(self) || month_first(self),
            _ => month_first(self) || day_first(self),
        }
    }
}

fn local(seconds: i64) -> Option<NaiveDateTime> {
    Some(Local.timestamp_opt(seconds, 0).single()?.naive_local())
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn letters(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_alphabetic).count()
}

fn number(digits: &str) -> i64 {
    digits.parse().unwrap_or(i64::MAX / DAY / 7)
}

/// How many letters the word at the start of `text` has in common with `name`; 0 unless it is a beginning of it.
fn common(text: &str, name: &str) -> usize {
    let word = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_beginning = name.get(..word).is_some_and(|start| start.eq_ignore_ascii_case(&text[..word]));
    if is_beginning { word } else { 0 }
}

fn is(text: &str, name: &str) -> bool {
    common(text, name) == name.len()
}

fn named(text: &str, names: &[&str]) -> Option<i64> {
    names.iter().position(|name| common(text, name) >= 3).and_then(|at| i64::try_from(at).ok())
}

/// A moment that is said to the second.
fn exact(text: &str, now: i64) -> Option<i64> {
    let mut parts = Parts::default();
    let (mut zone, mut epoch): (Option<i64>, Option<i64>) = (None, None);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            'a'..='z' | 'A'..='Z' => exact_word(rest, &mut parts, &mut zone),
            '0'..='9' => exact_number(rest, &mut parts, &mut zone, &mut epoch, now),
            '+' | '-' if parts.hour.is_some() => signed_zone(rest, &mut zone),
            _ => 0,
        };
        rest = &rest[length.max(first.len_utf8())..];
    }
    if epoch.is_some() {
        return epoch;
    }
    let naive = parts.to_naive()?;
    match zone {
        None => parts.to_local(),
        Some(minutes) => {
            let zone = FixedOffset::east_opt(i32::try_from(minutes * 60).ok()?)?;
            Some(zone.from_local_datetime(&naive).single()?.timestamp())
        }
    }
}

fn exact_word(rest: &str, parts: &mut Parts, zone: &mut Option<i64>) -> usize {
    let length = letters(rest);
    if let Some(month) = named(rest, &MONTHS) {
        parts.month = Some(month);
    } else if let Some((name, hours)) = ZONES.iter().find(|(name, _)| is(rest, name)) {
        zone.get_or_insert(hours * 60);
        return name.len();
    } else if is(rest, "PM") {
        parts.hour = parts.hour.map(|hour| hour % 12 + 12);
    } else if is(rest, "AM") {
        parts.hour = parts.hour.map(|hour| hour % 12);
    } else if rest.starts_with('T') && digits(&rest[1..]) > 0 && parts.hour.is_none() {
        (parts.minute, parts.second) = (Some(0), Some(0));
        return 1;
    }
    length
}

fn exact_number(
    rest: &str,
    parts: &mut Parts,
    zone: &mut Option<i64>,
    epoch: &mut Option<i64>,
    now: i64,
) -> usize {
    let length = digits(rest);
    let value = number(&rest[..length]);
    if value >= LEAST_EPOCH && parts.has_no_date() && length > 8 {
        *epoch = Some(value);
        return length;
    }
    let read = parts.set_numbers(rest, now);
    if read > 0 {
        return read;
    }
    let (high, middle, low) = (value / 10_000, value % 10_000 / 100, value % 100);
    match length {
        8 => _ = parts.set_date(Some(high), middle, low, None),
        6 => _ = parts.set_time(high, middle, low),
        4 | 2 if parts.minute == Some(0) && parts.hour.is_none() && !parts.has_no_date() => {
            let (hour, minute) = if length == 4 { (value / 100, value % 100) } else { (value, 0) };
            parts.set_time(hour, minute, 0);
        }
        4 if value <= 1400 && zone.is_none() => *zone = Some(value / 100 * 60 + value % 100),
        4 if (1901..2100).contains(&value) => parts.year = Some(value),
        1 | 2 if (1..32).contains(&value) && parts.day.is_none() => parts.day = Some(value),
        2 if parts.year.is_none() && value >= 70 => parts.year = Some(1900 + value),
        2 if parts.year.is_none() && value < 10 => parts.year = Some(2000 + value),
        1 | 2 if (1..13).contains(&value) && parts.month.is_none() => parts.month = Some(value - 1),
        _ => {}
    }
    length
}

/// `+0100`, `-05:30`, `+1`
fn signed_zone(rest: &str, zone: &mut Option<i64>) -> usize {
    let length = digits(&rest[1..]);
    let value = number(&rest[1..=length]);
    let (mut hours, mut minutes, mut end) = (value / 100, value % 100, 1 + length);
    if length <= 2 {
        (hours, minutes) = (value, 0);
        let more = rest[end..].strip_prefix(':').map_or(0, digits);
        if more > 0 {
            minutes = number(&rest[end + 1..end + 1 + more]);
            end += 1 + more;
        }
    }
    if minutes < 60 && hours < 24 && length > 0 {
        let east = hours * 60 + minutes;
        *zone = Some(if rest.starts_with('-') { -east } else { east });
    }
    end
}

/// A moment that is said in words, on the way.
struct Guess {
    parts: Parts,
    now: NaiveDateTime,
    seconds_now: i64,
    /// A number whose unit has not been read.
    number: i64,
    is_touched: bool,
}

impl Guess {
    fn new(seconds_now: i64) -> Option<Self> {
        let now = local(seconds_now)?;
        let parts = Parts { year: None, month: None, day: None, ..Parts::of(now) };
        Some(Self { parts, now, seconds_now, number: 0, is_touched: false })
    }

    fn read(mut self, text: &str) -> Option<i64> {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '0'..='9' => self.digits(rest),
                'a'..='z' | 'A'..='Z' => {
                    self.word(rest);
                    letters(rest)
                }
                _ => first.len_utf8(),
            };
            rest = &rest[length..];
        }
        self.settle_number();
        self.back(0);
        if self.is_touched { self.parts.to_local() } else { None }
    }

    fn digits(&mut self, rest: &str) -> usize {
        self.settle_number();
        self.is_touched = true;
        let read = self.parts.set_numbers(rest, self.seconds_now);
        if read > 0 {
            return read;
        }
        let length = digits(rest);
        // `Dec 02`, but not `Dec 0002`
        if !rest.starts_with('0') || length <= 2 {
            self.number = number(&rest[..length]);
        }
        length
    }

    fn word(&mut self, rest: &str) {
        if let Some(month) = named(rest, &MONTHS) {
            self.parts.month = Some(month);
            self.is_touched = true;
        } else if self.special(rest) || (self.number == 0 && self.count(rest)) || self.span(rest) {
            self.is_touched = true;
        }
    }

    fn special(&mut self, rest: &str) -> bool {
        if is(rest, "yesterday") {
            self.number = 0;
            self.back(DAY);
        } else if is(rest, "now") {
            self.number = 0;
            self.back(0);
        } else if is(rest, "never") {
            self.number = 0;
            self.parts = local(0).map_or(self.parts, Parts::of);
        } else if is(rest, "midnight") {
            self.at_hour(0);
        } else if is(rest, "noon") {
            self.at_hour(12);
        } else if is(rest, "tea") {
            self.at_hour(17);
        } else if is(rest, "PM") {
            self.half_day(12);
        } else if is(rest, "AM") {
            self.half_day(0);
        } else {
            return false;
        }
        true
    }

    fn count(&mut self, rest: &str) -> bool {
        let found = NUMBERS.iter().position(|name| is(rest, name)).map(|at| at + 1);
        let found = found.or_else(|| is(rest, "last").then_some(1));
        self.number = found.and_then(|count| i64::try_from(count).ok()).unwrap_or(0);
        found.is_some()
    }

    /// A unit, or a weekday, behind a number.
    fn span(&mut self, rest: &str) -> bool {
        if self.number == 0 {
            return false;
        }
        let count = self.number;
        if let Some((_, length)) = SPANS.iter().find(|(name, _)| common(rest, name) >= name.len() - 1) {
            self.back(length.saturating_mul(count));
        } else if let Some(weekday) = named(rest, &WEEKDAYS) {
            let days = self.weekday() - weekday;
            let weeks = if days <= 0 { count } else { count - 1 };
            self.back((days + 7 * weeks) * DAY);
        } else if common(rest, "months") >= 5 || common(rest, "years") >= 4 {
            self.back(0);
            let months = if common(rest, "months") >= 5 { count } else { count.saturating_mul(12) };
            let at = self.parts.year.unwrap_or(0) * 12 + self.parts.month.unwrap_or(0);
            let at = at.saturating_sub(months).max(0);
            (self.parts.year, self.parts.month) = (Some(at / 12), Some(at % 12));
        } else {
            return false;
        }
        self.number = 0;
        true
    }

    fn weekday(&self) -> i64 {
        let day = self.filled().to_naive().unwrap_or(self.now);
        day.weekday().num_days_from_sunday().into()
    }

    fn at_hour(&mut self, hour: i64) {
        self.settle_number();
        if self.parts.hour.is_some_and(|now| now < hour) {
            self.back(DAY);
        }
        (self.parts.hour, self.parts.minute, self.parts.second) = (Some(hour), Some(0), Some(0));
    }

    fn half_day(&mut self, half: i64) {
        if self.number > 0 {
            (self.parts.hour, self.parts.minute, self.parts.second) = (Some(self.number), Some(0), Some(0));
            self.number = 0;
        }
        self.parts.hour = self.parts.hour.map(|hour| hour % 12 + half);
    }

    /// A number without unit is a day, a month or a year, what is still missing.
    fn settle_number(&mut self) {
        let number = std::mem::take(&mut self.number);
        if number == 0 {
            return;
        }
        if self.parts.day.is_none() && number < 32 {
            self.parts.day = Some(number);
        } else if self.parts.month.is_none() && number < 13 {
            self.parts.month = Some(number - 1);
        } else if self.parts.year.is_none() {
            self.parts.year = match number {
                1970..2100 => Some(number),
                70..100 => Some(1900 + number),
                1..38 => Some(2000 + number),
                _ => None,
            };
        }
    }

    /// What was not said is as it is now; a month that is still to come was last year's.
    fn filled(&self) -> Parts {
        let mut parts = self.parts;
        let now = Parts::of(self.now);
        parts.day = parts.day.or(now.day);
        parts.month = parts.month.or(now.month);
        let is_to_come = parts.month > now.month;
        parts.year = parts.year.or(now.year.map(|year| if is_to_come { year - 1 } else { year }));
        parts
    }

    fn back(&mut self, seconds: i64) {
        self.parts = self.filled();
        if let Some(moment) = self.parts.to_local().and_then(|at| local(at.saturating_sub(seconds))) {
            self.parts = Parts::of(moment);
        }
    }
}
