//! The team's policy, `brv.yaml` in the tree's root: which findings fail a check, and which stop a push.
//!
//! Parsed strictly: what cannot be read is an error and an unknown key a warning, both findings of BRV015 with their place.
//! A policy only tightens. What holds is the stricter of two ([`Policy::stricter`]): a change cannot loosen its own check.

use super::{Fault, MAX_BYTES, Rule, Severity};
use brv_base::shape;
use serde_yaml::Value;
use std::collections::BTreeMap;

pub const FILE: &str = "brv.yaml";

/// The most faults of a policy that are listed.
const MOST_FAULTS: usize = 64;

/// From which weight on a check fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailOn {
    Never,
    Error,
    Warning,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// `fail_on`: from which weight on a check fails; `None` leaves it to the caller.
    pub fail_on: Option<FailOn>,
    /// `severity`: rules that weigh more than by default.
    pub severity: BTreeMap<Rule, Severity>,
    /// `max_bytes`: the largest entry, at most [`MAX_BYTES`].
    pub max_bytes: usize,
    /// `push.block_on`: from which weight on a finding inside an entry stops a push; `None`: only by
    /// [`Self::stops_push`]'s own rules.
    pub block_on: Option<Severity>,
    /// `review.enabled: true`: risky changes are marked for review, whatever a user's settings say.
    pub review: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self { fail_on: None, severity: BTreeMap::new(), max_bytes: MAX_BYTES, block_on: None, review: false }
    }
}

impl Policy {
    /// Reads a policy. What cannot be read counts as not written, and is listed beside it with its weight.
    pub fn parse(text: &str) -> (Self, Vec<(Fault, Severity)>) {
        let mut reading = PolicyReader { text, policy: Self::default(), faults: Vec::new() };
        if let Err(unfit) = shape::yaml(text.as_bytes()) {
            reading.report(Severity::Error, (1, 1), &unfit.to_string(), "");
            return (reading.policy, reading.faults);
        }
        match serde_yaml::from_str::<Value>(text) {
            Ok(Value::Null) => {}
            Ok(Value::Mapping(fields)) => {
                fields.iter().for_each(|(key, value)| reading.field(&word(key), value));
            }
            Ok(_) => reading.report(Severity::Error, (1, 1), "must have `key: value` lines", ""),
            Err(error) => {
                let message = error.to_string();
                let twice = || last_key(text, message.split('"').nth(1)?);
                let place = error.location().map(|place| (place.line(), place.column())).or_else(twice);
                let place = place.unwrap_or((1, 1));
                let message = message.split(" at line ").next().unwrap_or_default().to_owned();
                reading.report(Severity::Error, place, &format!("is not valid YAML: {message}"), &message);
            }
        }
        (reading.policy, reading.faults)
    }

    /// What holds where two policies do: of each part the stricter.
    pub fn stricter(mut self, other: &Self) -> Self {
        self.fail_on = self.fail_on.max(other.fail_on);
        self.max_bytes = self.max_bytes.min(other.max_bytes);
        self.block_on = match (self.block_on, other.block_on) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self.review |= other.review;
        for (rule, severity) in &other.severity {
            let kept = self.severity.entry(*rule).or_insert(*severity);
            *kept = (*kept).max(*severity);
        }
        self
    }

    /// How much a finding of a rule weighs.
    pub fn severity_of(&self, rule: Rule) -> Severity {
        self.severity.get(&rule).copied().unwrap_or(Severity::Warning).max(rule.severity())
    }

    /// Whether a finding of a rule stops a push: conflict markers, invalid frontmatter and secrets always do.
    pub fn stops_push(&self, rule: Rule) -> bool {
        matches!(rule, Rule::ConflictMarker | Rule::Frontmatter | Rule::Secret)
            || self.block_on.is_some_and(|least| self.severity_of(rule) >= least)
    }
}

struct PolicyReader<'t> {
    text: &'t str,
    policy: Policy,
    faults: Vec<(Fault, Severity)>,
}

impl PolicyReader<'_> {
    fn field(&mut self, key: &str, value: &Value) {
        match key {
            "fail_on" => match word(value).as_str() {
                "error" => self.policy.fail_on = Some(FailOn::Error),
                "warning" => self.policy.fail_on = Some(FailOn::Warning),
                "never" => self.policy.fail_on = Some(FailOn::Never),
                _ => self.invalid(&[key], "must be `error`, `warning` or `never`"),
            },
            "max_bytes" => match value.as_u64().and_then(|bytes| usize::try_from(bytes).ok()) {
                Some(bytes @ 1..=MAX_BYTES) => self.policy.max_bytes = bytes,
                _ => self.invalid(&[key], &format!("must be a number from 1 to {MAX_BYTES}")),
            },
            "severity" => match value {
                Value::Mapping(rules) => {
                    rules.iter().for_each(|(rule, severity)| self.severity(&word(rule), &word(severity)));
                }
                _ => self.invalid(&[key], "must have lines such as `BRV010: error`"),
            },
            "push" => match value {
                Value::Mapping(fields) => {
                    fields.iter().for_each(|(key, value)| self.push(&word(key), &word(value)));
                }
                _ => self.invalid(&[key], "must have a line such as `block_on: warning`"),
            },
            "review" => match value {
                Value::Mapping(fields) => {
                    fields.iter().for_each(|(key, value)| self.review(&word(key), value));
                }
                _ => self.invalid(&[key], "must have the line `enabled: true`"),
            },
            _ => self.unknown(&[key]),
        }
    }

    fn review(&mut self, key: &str, value: &Value) {
        match (key, value.as_bool()) {
            ("enabled", Some(true)) => self.policy.review = true,
            ("enabled", _) => self.invalid(&["review", key], "can only be `true`: a policy tightens"),
            _ => self.unknown(&["review", key]),
        }
    }

    fn severity(&mut self, id: &str, severity: &str) {
        let Some(rule) = Rule::from_id(id) else { return self.unknown(&["severity", id]) };
        let severity = match severity {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => return self.invalid(&["severity", id], "must be `error` or `warning`"),
        };
        if severity < rule.severity() {
            return self.invalid(&["severity", id], "is an error by default, and a policy only tightens");
        }
        self.policy.severity.insert(rule, severity);
    }

    fn push(&mut self, key: &str, value: &str) {
        match (key, value) {
            ("block_on", "error") => self.policy.block_on = Some(Severity::Error),
            ("block_on", "warning") => self.policy.block_on = Some(Severity::Warning),
            ("block_on", _) => self.invalid(&["push", key], "must be `error` or `warning`"),
            _ => self.unknown(&["push", key]),
        }
    }

    fn invalid(&mut self, keys: &[&str], what: &str) {
        // each place is looked for from the first line on
        if self.faults.len() >= MOST_FAULTS {
            return;
        }
        let name = keys.join(".");
        self.report(Severity::Error, place(self.text, keys), &format!("`{name}` {what}"), &name);
    }

    fn unknown(&mut self, keys: &[&str]) {
        if self.faults.len() >= MOST_FAULTS {
            return;
        }
        let name = keys.join(".");
        self.report(Severity::Warning, place(self.text, keys), &format!("unknown key `{name}`"), &name);
    }

    fn report(&mut self, severity: Severity, place: (usize, usize), message: &str, key: &str) {
        let fault = Fault::new(Rule::Policy, place, message, key);
        let fault = if key.is_empty() { fault } else { fault.about(key) };
        self.faults.push((fault, severity));
    }
}

/// A scalar as it is written; empty for anything else.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The 1-based line and column of a key below others, in block or in flow style; (1, 1) if it is not found.
fn place(text: &str, keys: &[&str]) -> (usize, usize) {
    let mut lines = text.lines().enumerate();
    let mut found: Option<(usize, usize)> = None;
    for key in keys {
        // in flow style a key stands in the line of the one above it
        let beside =
            found.and_then(|(line, column)| Some((line, key_in(text.lines().nth(line - 1)?, key, column)?)));
        let is_top = found.is_none();
        let at_its_level = |line: &&str| line.starts_with([' ', '\t']) != is_top;
        let next = beside.or_else(|| {
            let mut lines = lines.by_ref().filter(|(_, line)| at_its_level(line));
            lines.find_map(|(at, line)| Some((at + 1, first_key(line, key)?)))
        });
        let Some(next) = next else { break };
        found = Some(next);
    }
    found.unwrap_or((1, 1))
}

/// The 1-based column of a key that a line begins with.
fn first_key(line: &str, key: &str) -> Option<usize> {
    let column = key_in(line, key, 0)?;
    let before = &line[..line.char_indices().nth(column - 1)?.0];
    before.trim_start().trim_matches(['"', '\'', '{', ' ']).is_empty().then_some(column)
}

/// The place of the last line that begins with a key.
fn last_key(text: &str, key: &str) -> Option<(usize, usize)> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(at, line)| Some((at + 1, first_key(line, key)?))).last()
}

/// The 1-based column of `key:` in a line, behind a column.
fn key_in(line: &str, key: &str, behind: usize) -> Option<usize> {
    let is_end = |rest: &str| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':');
    let is_start = |before: &str| {
        before.trim_end_matches(['"', '\'']).is_empty() || before.ends_with([' ', '{', ',', '"', '\''])
    };
    line.match_indices(key)
        .find(|(at, _)| *at >= behind && is_end(&line[at + key.len()..]) && is_start(&line[..*at]))
        .map(|(at, _)| line[..at].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<(usize, usize, Severity, Option<String>)> {
        let (_, faults) = Policy::parse(text);
        faults
            .into_iter()
            .map(|(fault, severity)| (fault.line, fault.column, severity, fault.subject))
            .collect()
    }

    #[test]
    fn a_policy_is_read_as_a_whole() {
        let text = "# ours\nfail_on: warning\nseverity:\n  BRV010: error\nmax_bytes: 65536\npush: {block_on: warning}\n";
        let (policy, faults) = Policy::parse(text);
        assert_eq!(faults, []);
        assert_eq!(policy.fail_on, Some(FailOn::Warning));
        assert_eq!(policy.severity_of(Rule::Pinned), Severity::Error);
        assert_eq!(policy.severity_of(Rule::Duplicate), Severity::Warning);
        assert_eq!((policy.max_bytes, policy.block_on), (65_536, Some(Severity::Warning)));
        assert_eq!(Policy::parse("").0, Policy::default());
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(
            faults("a: 1\nfail_on: always\n"),
            [(1, 1, Severity::Warning, name("a")), (2, 1, Severity::Error, name("fail_on")),]
        );
        assert_eq!(
            faults("severity:\n  BRV010: error\n  BRV999: error\n"),
            [(3, 3, Severity::Warning, name("severity.BRV999"))]
        );
        assert_eq!(
            faults("severity: {BRV006: warning}\n"),
            [(1, 12, Severity::Error, name("severity.BRV006"))]
        );
        assert_eq!(faults("push: {block: x}\n"), [(1, 8, Severity::Warning, name("push.block"))]);
        assert_eq!(faults("max_bytes: 2000000\n"), [(1, 1, Severity::Error, name("max_bytes"))]);
        let broken = faults("fail_on: [\n");
        assert_eq!((broken.len(), broken[0].2), (1, Severity::Error));
        assert_eq!(faults("- a\n").len(), 1);
    }

    #[test]
    fn what_stops_a_push_is_what_always_does_and_what_the_policy_adds() {
        let stops = |text: &str| {
            let policy = Policy::parse(text).0;
            let rules = [Rule::Secret, Rule::Hidden, Rule::Instruction, Rule::Oversize];
            rules.map(|rule| policy.stops_push(rule))
        };
        assert_eq!(stops(""), [true, false, false, false]);
        assert_eq!(stops("severity: {BRV007: error}"), [true, false, false, false]);
        assert_eq!(stops("push: {block_on: error}"), [true, true, false, true]);
        assert_eq!(stops("push: {block_on: error}\nseverity: {BRV007: error}"), [true; 4]);
        assert_eq!(stops("push: {block_on: warning}"), [true; 4]);
    }

    #[test]
    fn the_stricter_of_two_holds_part_by_part() {
        let of = |text: &str| Policy::parse(text).0;
        let both = of("fail_on: warning\nmax_bytes: 9\n")
            .stricter(&of("severity: {BRV010: error}\nmax_bytes: 10\n"));
        assert_eq!(both, of("fail_on: warning\nmax_bytes: 9\nseverity: {BRV010: error}\n"));
        let blocks = |one: &str, other: &str| of(one).stricter(&of(other)).block_on;
        assert_eq!(blocks("push: {block_on: error}", ""), Some(Severity::Error));
        assert_eq!(blocks("push: {block_on: error}", "push: {block_on: warning}"), Some(Severity::Warning));
        assert_eq!(of("fail_on: never").stricter(&of("fail_on: error")).fail_on, Some(FailOn::Error));
    }
}
