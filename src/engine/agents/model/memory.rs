//! What is remembered of models over all projects, in one file of the user's state folder: the tokens of each day, and
//! the fields that a server refused.
//!
//! A lock makes processes take turns. What cannot be read is set aside, and everything begins anew.

use super::{Error, Purpose, Usage};
use brv_base::clock::Clock;
use brv_base::environment::Environment;
use brv_base::fs::{self, Durability, WriteGuard};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many days are kept.
const DAYS: i64 = 90;

/// How many days a refused field is left out before it is tried again: servers learn.
const REFUSED_DAYS: i64 = 30;

/// The file.
#[derive(Debug, Clone)]
pub(super) struct ModelMemory {
    file: Option<PathBuf>,
    clock: Clock,
}

/// One day of UTC.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredModelDay {
    /// Requests sent.
    pub calls: u64,
    /// Those without a usable answer.
    pub failed: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Tokens of both directions by purpose.
    pub by: BTreeMap<String, u64>,
    /// Tokens set aside for requests that are under way, or that were when their process was killed.
    pub reserved: u64,
}

impl StoredModelDay {
    /// The tokens that count against the limit of the day.
    pub fn taken(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens).saturating_add(self.reserved)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct ModelMemoryFile {
    days: BTreeMap<String, StoredModelDay>,
    /// By url and model: each field with the day on which it was refused.
    refused: BTreeMap<String, BTreeMap<String, String>>,
}

/// Tokens set aside for one request.
#[derive(Debug)]
pub(super) struct Reservation {
    day: String,
    tokens: u64,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestEnd {
    Answered(Usage),
    /// The server refused it, or was not reached: it cost nothing.
    Refused,
    /// Something was sent and no answer came: it may have cost all that was set aside.
    Unknown(Usage),
}

/// The days on which models were asked.
#[derive(Debug)]
pub struct Usages {
    /// The last one first.
    pub days: Vec<(String, StoredModelDay)>,
    pub today: String,
    /// Whether the file cannot be understood, so that the days are unknown.
    pub is_damaged: bool,
}

impl Usages {
    /// Read them.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(environment: &Environment) -> Result<Self, Error> {
        let memory = ModelMemory::of(environment);
        let (all, is_damaged) = memory.read()?;
        Ok(Self { days: all.days.into_iter().rev().collect(), today: memory.day(0), is_damaged })
    }
}

impl ModelMemory {
    pub fn of(environment: &Environment) -> Self {
        let folder = environment.user_folder("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA");
        let file = folder.map(|folder| folder.join("brv").join("model.json"));
        Self { file, clock: Clock::from_environment(environment) }
    }

    /// Set tokens aside for a request, if those of the day are enough.
    ///
    /// # Errors
    /// They are not, or cannot be counted.
    pub fn reserve(&self, tokens: u64, daily: u64, warnings: &mut Vec<String>) -> Result<Reservation, Error> {
        let today = self.day(0);
        let reserved = self.change(warnings, |all| {
            let day = all.days.entry(today.clone()).or_default();
            let before = day.taken();
            if before.saturating_add(tokens) > daily {
                return Err(before);
            }
            day.reserved = day.reserved.saturating_add(tokens);
            Ok(Reservation { day: today.clone(), tokens })
        })?;
        reserved.map_err(|taken| {
            Error::OverBudget(format!(
                "this request may take {tokens} tokens, and {taken} of the {daily} of today (`model.daily_tokens`) are taken"
            ))
        })
    }

    /// Replace what was set aside by what was spent. Returns what the day has taken.
    pub fn settle(
        &self,
        reservation: &Reservation,
        purpose: Purpose,
        ended: RequestEnd,
        warnings: &mut Vec<String>,
    ) -> u64 {
        let settled = self.change(warnings, |all| {
            let day = all.days.entry(reservation.day.clone()).or_default();
            day.reserved = day.reserved.saturating_sub(reservation.tokens);
            day.calls += 1;
            day.failed += u64::from(!matches!(ended, RequestEnd::Answered(_)));
            if let RequestEnd::Answered(usage) | RequestEnd::Unknown(usage) = ended {
                day.input_tokens = day.input_tokens.saturating_add(usage.input);
                day.output_tokens = day.output_tokens.saturating_add(usage.output);
                let by = day.by.entry(purpose.word().to_owned()).or_default();
                *by = by.saturating_add(usage.input.saturating_add(usage.output));
            }
            day.taken()
        });
        settled.unwrap_or_else(|error| {
            // what was set aside still counts
            warnings.push(error.to_string());
            0
        })
    }

    /// The fields that a server refused.
    pub fn refused(&self, server: &str) -> Vec<String> {
        let since = self.day(-REFUSED_DAYS);
        let all = self.read().map(|read| read.0).unwrap_or_default();
        let fields = all.refused.get(server).into_iter().flatten();
        fields.filter(|(_, day)| **day > since).map(|(field, _)| field.clone()).collect()
    }

    /// Remember that a server refused a field.
    pub fn refuse(&self, server: &str, fields: &[String], warnings: &mut Vec<String>) {
        let today = self.day(0);
        let kept = self.change(warnings, |all| {
            let known = all.refused.entry(server.to_owned()).or_default();
            known.extend(fields.iter().map(|field| (field.clone(), today.clone())));
        });
        if let Err(error) = kept {
            warnings.push(error.to_string());
        }
    }

    fn day(&self, off: i64) -> String {
        (self.clock.now() + chrono::TimeDelta::days(off)).format("%Y-%m-%d").to_string()
    }

    fn change<T>(
        &self,
        warnings: &mut Vec<String>,
        act: impl FnOnce(&mut ModelMemoryFile) -> T,
    ) -> Result<T, Error> {
        let uncounted = |why: String| Error::OverBudget(format!("cannot count the tokens of the day: {why}"));
        let Some(file) = &self.file else {
            return Err(uncounted("there is no folder for the state of the user (`HOME`)".into()));
        };
        let _guard = WriteGuard::acquire(&file.with_extension("lock"), PATIENCE)
            .map_err(|busy| uncounted(super::chain(&busy)))?;
        let (mut all, damaged) = self.read()?;
        if damaged {
            let aside = file.with_extension("damaged.json");
            fs::rename(file, &aside).map_err(|error| uncounted(super::chain(&error)))?;
            warnings.push(format!(
                "the count of the model's tokens was damaged and starts again; the old file is `{}`",
                aside.display()
            ));
        }
        let result = act(&mut all);
        let oldest = self.day(-DAYS);
        all.days.retain(|day, _| *day > oldest);
        let bytes = serde_json::to_vec_pretty(&all).unwrap_or_default();
        fs::replace(file, &bytes, Durability::Later).map_err(|error| uncounted(super::chain(&error)))?;
        Ok(result)
    }

    /// What the file has, and whether it is damaged.
    fn read(&self) -> Result<(ModelMemoryFile, bool), Error> {
        let Some(file) = &self.file else { return Ok(Default::default()) };
        let uncounted = |error: fs::Error| {
            Error::OverBudget(format!("cannot count the tokens of the day: {}", super::chain(&error)))
        };
        let Some(bytes) = fs::read_if_there(file).map_err(uncounted)? else { return Ok(Default::default()) };
        Ok(serde_json::from_slice(&bytes)
            .map_or_else(|_| (ModelMemoryFile::default(), true), |all| (all, false)))
    }
}
