//! Parses the dates that people and git's settings give: `2024-11-20`, `2.weeks.ago`, `yesterday`, `last friday at noon`.
//!
//! The grammar covers the forms that git documents: DATE FORMATS of git-commit(1), `@{…}` of gitrevisions(7), and the
//! examples in git's manuals. Unspecified parts are taken from now: `2024-11-20` is that day at the current time of
//! day. An unknown word makes the whole date invalid.

mod token;

use chrono::{DateTime, Datelike as _, Days, FixedOffset, Local, NaiveDate, NaiveDateTime, NaiveTime};
use chrono::{Offset as _, TimeDelta, TimeZone as _, Timelike as _};
use token::Token::{Date, Half, Hour, Month, Months, Number, Seconds, Stamp, Time, Weekday, Zone};
use token::{DAY, Token, YEARS, calendar_day, tokens};

/// The moment that `text` means, in seconds since 1970, given the current time `now`; `None` if it is not a date.
pub fn moment(text: &str, now: i64) -> Option<i64> {
    dated(text, now).map(|(seconds, _)| seconds)
}

/// [`moment`], and its zone in seconds east of UTC: the zone that `text` names, else the local one at that moment.
pub fn dated(text: &str, now: i64) -> Option<(i64, i32)> {
    let (seconds, zone) = read(text, now)?;
    let zone = zone.or_else(|| Some(Local.timestamp_opt(seconds, 0).single()?.offset().fix()));
    Some((seconds, zone.map_or(0, |zone| zone.local_minus_utc())))
}

fn read(text: &str, now: i64) -> Option<(i64, Option<FixedOffset>)> {
    let text = text.trim().to_lowercase();
    if text == "never" {
        return Some((0, None));
    }
    let tokens = tokens(&text).filter(|tokens| !tokens.is_empty())?;
    let mut reading = DateReading { now, ..DateReading::default() };
    let mut left = tokens.as_slice();
    while let [first, rest @ ..] = left {
        left = match rest {
            [second, rest @ ..] if reading.pair(*first, *second)? => rest,
            _ => reading.single(*first).map(|()| rest)?,
        };
    }
    let zone = reading.zone;
    reading.moment().map(|moment| (moment, zone))
}

/// What has been parsed so far.
#[derive(Debug, Default)]
struct DateReading {
    /// Now, minus the durations given as "ago".
    now: i64,
    stamp: Option<i64>,
    date: Option<NaiveDate>,
    /// A month and a day in it, whose year may follow.
    day: Option<(u32, u32)>,
    year: Option<i32>,
    weekday: Option<i64>,
    time: Option<NaiveTime>,
    hour: Option<u32>,
    zone: Option<FixedOffset>,
    /// Whether a distance of days or more was given.
    is_far: bool,
}

impl DateReading {
    /// Parses two pieces that belong together; `false` if these do not.
    fn pair(&mut self, first: Token, second: Token) -> Option<bool> {
        match (first, second) {
            (Number(count), Seconds(unit)) => self.go_back(count, unit)?,
            (Number(count), Months(unit)) => self.go_back_months(count.checked_mul(unit)?)?,
            (Number(count), Weekday(day)) => self.go_back_to(day, count)?,
            (Number(hour), Half(half)) => self.time = Some(half_day(hour.try_into().ok()?, 0, half)?),
            (Time(time), Half(half)) => self.time = Some(half_day(time.hour(), time.minute(), half)?),
            (Number(day @ 1..=31), Month(month)) | (Month(month), Number(day @ 1..=31)) => {
                self.day = Some((month, day.try_into().ok()?));
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn single(&mut self, token: Token) -> Option<()> {
        match token {
            Date(date) => self.date = Some(date),
            Time(time) => self.time = Some(time),
            Hour(hour) => self.hour = Some(hour),
            Zone(zone) => self.zone = Some(zone),
            Stamp(stamp) => self.stamp = Some(stamp),
            Weekday(weekday) => self.weekday = Some(weekday),
            Number(year @ 1000..=9999) => self.year = Some(year.try_into().ok()?),
            _ => return None,
        }
        Some(())
    }

    fn go_back(&mut self, count: i64, unit: i64) -> Option<()> {
        self.is_far |= unit >= DAY;
        self.now = self.now.checked_sub(count.checked_mul(unit)?)?;
        Some(())
    }

    fn go_back_months(&mut self, months: i64) -> Option<()> {
        let now = local(self.now)?;
        let month =
            i64::from(now.year()).checked_mul(12)?.checked_add(now.month0().into())?.checked_sub(months)?;
        let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
        let date = calendar_day(year.try_into().ok()?, month.try_into().ok()?, now.day())?;
        self.is_far = true;
        self.now = instant(date.and_time(now.time()))?;
        Some(())
    }

    /// Goes back to the last such weekday before today, or to the one `times` of them ago.
    fn go_back_to(&mut self, weekday: i64, times: i64) -> Option<()> {
        let today = i64::from(local(self.now)?.weekday().num_days_from_monday());
        let days = (today - weekday - 1).rem_euclid(7) + 1;
        self.go_back(times.checked_sub(1)?.checked_mul(7)?.checked_add(days)?, DAY)
    }

    /// The moment that all pieces mean together.
    fn moment(mut self) -> Option<i64> {
        if self.stamp.is_some() {
            return self.stamp;
        }
        let date = match self.day {
            Some((month, day)) => Some(self.dated(month, day)?),
            None if self.year.is_some() => return None,
            None => self.date,
        };
        if let (None, Some(weekday)) = (date, self.weekday) {
            self.go_back_to(weekday, 1)?;
        }
        if date.is_none() && self.time.is_none() && self.hour.is_none() {
            return Some(self.now);
        }
        let now = local(self.now)?;
        let mut moment = date.unwrap_or(now.date()).and_time(self.time.unwrap_or(now.time()));
        if let Some(hour) = self.hour {
            moment = moment.date().and_hms_opt(hour, 0, 0)?;
            if date.is_none() && !self.is_far && moment > now {
                moment = moment.checked_sub_days(Days::new(1))?;
            }
        }
        match self.zone {
            Some(zone) => Some(moment.and_utc().timestamp() - i64::from(zone.local_minus_utc())),
            None => instant(moment),
        }
    }

    /// A day of the year that was named, else of the last year in which it is not in the future.
    fn dated(&self, month: u32, day: u32) -> Option<NaiveDate> {
        let today = local(self.now)?.date();
        let date = calendar_day(self.year.unwrap_or(today.year()), month, day)?;
        let is_to_come = self.year.is_none() && date > today;
        if is_to_come { calendar_day(today.year() - 1, month, day) } else { Some(date) }
    }
}

/// `12:30 am` is half past midnight.
fn half_day(hour: u32, minute: u32, half: u32) -> Option<NaiveTime> {
    let hour = Some(hour).filter(|hour| (1..=12).contains(hour))?;
    NaiveTime::from_hms_opt(hour % 12 + half, minute, 0)
}

fn local(seconds: i64) -> Option<NaiveDateTime> {
    let moment = DateTime::from_timestamp(seconds, 0).filter(|moment| YEARS.contains(&moment.year()))?;
    Some(moment.with_timezone(&Local).naive_local())
}

/// The later one of an hour that the clocks show twice; for an hour that they skip, the one after it.
fn instant(moment: NaiveDateTime) -> Option<i64> {
    let shown = |moment: &NaiveDateTime| {
        let found = Local.from_local_datetime(moment);
        // chrono names the two in either order
        found.earliest().max(found.latest()).map(|moment| moment.timestamp())
    };
    shown(&moment).or_else(|| Some(shown(&moment.checked_sub_signed(TimeDelta::hours(1))?)? + 3600))
}
