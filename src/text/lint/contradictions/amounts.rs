//! Read the amounts among the tokens of a statement: `90 s`, `every 5 minutes`, `100 requests per minute`, `level 19`.

use super::parts::{Amount, Measure, StatementPart, stem};
use super::tokens::is_time;
use super::vocabulary::{BOUNDS, is_stop};
use brv_base::english::{Dimension, meant_number, spelled_number, unit};

/// Read the amounts among the tokens.
pub(super) fn parts(tokens: &[String]) -> Vec<StatementPart> {
    let mut parts: Vec<StatementPart> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let taken = amount(&tokens[at..], &mut parts);
        if taken == 0 {
            let token = &tokens[at];
            parts.push(match token.as_str() {
                "" => StatementPart::Break,
                ":" => StatementPart::Colon,
                _ => StatementPart::Word(token.clone()),
            });
        }
        at += taken.max(1);
    }
    parts
}

/// Adverbs of frequency, in days.
const PERIODS: [(&str, f64); 8] = [
    ("hourly", 1.0 / 24.0),
    ("daily", 1.0),
    ("nightly", 1.0),
    ("weekly", 7.0),
    ("biweekly", 14.0),
    ("monthly", 30.4375),
    ("quarterly", 91.3125),
    ("yearly", 365.25),
];

/// Read an amount at the start of the tokens; returns how many tokens it takes, 0 if there is none.
fn amount(tokens: &[String], parts: &mut Vec<StatementPart>) -> usize {
    let token = |at: usize| tokens.get(at).map_or("", String::as_str);
    let push = |parts: &mut Vec<StatementPart>, measure, value| {
        parts.push(StatementPart::Amount(Amount { measure, value, version: None }));
    };
    if let Some((_, days)) = PERIODS.iter().find(|(name, _)| *name == token(0)) {
        push(parts, Measure::Period, days * 86_400.0);
        return 1;
    }
    if let Some((_, minutes)) =
        [("midnight", 0.0), ("noon", 720.0)].iter().find(|(name, _)| *name == token(0))
    {
        push(parts, Measure::Clock, *minutes);
        return 1;
    }
    // `every 5 minutes`, `each day`, `once a week`
    let is_every = matches!(token(0), "every" | "each");
    let is_once = token(0) == "once" && matches!(token(1), "a" | "an" | "per" | "every" | "each");
    if is_every || is_once {
        let from = if is_once { 2 } else { 1 };
        if let Some(seconds) = seconds(token(from)) {
            push(parts, Measure::Period, seconds);
            return from + 1;
        }
        if let (Some(number), Some(seconds)) = (number(token(from)), seconds(token(from + 1))) {
            push(parts, Measure::Period, number * seconds);
            return from + 2;
        }
    }
    // `per minute` turns the count before it into a rate
    if matches!(token(0), "per" | "a" | "an" | "each" | "every")
        && let Some(seconds) = seconds(token(1))
    {
        if let Some(count) = counted(parts) {
            count.value /= seconds;
            count.measure = match &count.measure {
                Measure::Count(name) => Measure::Rate(name.clone()),
                other => other.clone(),
            };
            return 2;
        }
        if matches!(token(0), "a" | "an") {
            let has_half = [2, 3, 4].map(token) == ["and", "a", "half"];
            push(parts, Measure::Span, if has_half { seconds * 1.5 } else { seconds });
            return if has_half { 5 } else { 2 };
        }
    }
    if token(0) == "half"
        && let ("a" | "an", Some(seconds)) = (token(1), seconds(token(2)))
    {
        push(parts, Measure::Span, seconds / 2.0);
        return 3;
    }
    if token(0) == "quarter"
        && let ("of", "a" | "an", Some(seconds)) = (token(1), token(2), seconds(token(3)))
    {
        push(parts, Measure::Span, seconds / 4.0);
        return 4;
    }
    if token(0) == "one" && is_time(token(1)) {
        return span(1.0, tokens, parts);
    }
    let Some(value) = number(token(0)) else { return version(tokens, parts) };
    if let Some((hours, minutes)) = token(0).split_once(':') {
        let clock = |text: &str| text.parse::<f64>().ok();
        if let (Some(hours), Some(minutes)) = (clock(hours), clock(minutes)) {
            push(parts, Measure::Clock, hours * 60.0 + minutes);
            return 1;
        }
    }
    if is_time(token(1)) {
        return span(value, tokens, parts);
    }
    if let Some(unit) = unit(token(1)) {
        push(parts, Measure::Of(unit.dimension), value * unit.factor);
        return 2;
    }
    let name = name_of(parts, tokens);
    push(parts, Measure::Count(name), value);
    1
}

fn version(tokens: &[String], parts: &mut Vec<StatementPart>) -> usize {
    let token = &tokens[0];
    let is_version = token.matches('.').count() > 1
        && token.starts_with(|c: char| c.is_ascii_digit())
        && token.ends_with(|c: char| c.is_ascii_digit());
    if !is_version {
        return 0;
    }
    let short = token.trim_end_matches(".0");
    let measure = Measure::Count(name_of(parts, tokens));
    let amount = match short.parse() {
        Ok(value) => Amount { measure, value, version: None },
        Err(_) => Amount { measure, value: 0.0, version: Some(short.to_owned()) },
    };
    parts.push(StatementPart::Amount(amount));
    1
}

/// A length of time with all its parts: `1 min 30 s`.
fn span(first: f64, tokens: &[String], parts: &mut Vec<StatementPart>) -> usize {
    let mut value = first * seconds(&tokens[1]).unwrap_or(1.0);
    let mut at = 2;
    while let [count, name, ..] = &tokens[at..]
        && let (Some(count), Some(seconds)) = (number(count), seconds(name))
    {
        value += count * seconds;
        at += 2;
    }
    parts.push(StatementPart::Amount(Amount { measure: Measure::Span, value, version: None }));
    at
}

fn number(token: &str) -> Option<f64> {
    if matches!(token, "one" | "once" | "twice" | "thrice") {
        return meant_number(token).map(f64::from);
    }
    if token.contains(':') {
        return token.split_once(':').and_then(|(hours, _)| hours.parse().ok());
    }
    let digits = || token.starts_with(|c: char| c.is_ascii_digit()).then(|| token.parse().ok()).flatten();
    spelled_number(token).map(f64::from).or_else(digits)
}

/// The count in front of a rate, if nothing but the name of what is counted stands between.
fn counted(parts: &mut [StatementPart]) -> Option<&mut Amount> {
    let at = parts.iter().rposition(|part| matches!(part, StatementPart::Amount(_)))?;
    let is_near = parts.len() - at <= 3 && !parts[at..].contains(&StatementPart::Break);
    match &mut parts[at] {
        StatementPart::Amount(amount) if is_near => match amount.measure {
            Measure::Count(_) | Measure::Of(_) => Some(amount),
            _ => None,
        },
        _ => None,
    }
}

/// What a number counts: the name behind it, else the one in front of it.
fn name_of(parts: &[StatementPart], tokens: &[String]) -> String {
    let behind = tokens.get(1).filter(|token| is_name(token));
    let before = parts.last().and_then(|part| match part {
        StatementPart::Word(word) if is_name(word) => Some(word),
        _ => None,
    });
    behind.or(before).map(|word| stem(word)).unwrap_or_default()
}

fn is_name(word: &str) -> bool {
    word.starts_with(char::is_alphabetic) && !is_stop(word) && !BOUNDS.contains(word) && word != "times"
}

fn seconds(word: &str) -> Option<f64> {
    unit(word).filter(|unit| unit.dimension == Dimension::Time).map(|unit| unit.factor)
}
