//! What was measured, as one markdown table: medians of processor time and of wall-clock time, and brv's over git's.

use crate::usage::Usage;
use std::fmt;

/// Who was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The program of this project.
    Brv,
    /// Plain git.
    Git,
}

impl Side {
    /// The two.
    pub const BOTH: [Self; 2] = [Self::Brv, Self::Git];
}

/// One measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sample {
    /// A whole process: seconds of processor time, where the system tells it, and from start to end.
    Time {
        /// Of the user and of the system, with children.
        processor: Option<f64>,
        /// As a clock on the wall has it.
        wall: f64,
    },
    /// Memory or files, in bytes.
    Bytes(u64),
}

impl Sample {
    /// Something in this process, in seconds.
    pub const fn wall(wall: f64) -> Self {
        Self::Time { processor: None, wall }
    }

    /// Seconds of wall-clock time; nothing of a size.
    pub const fn seconds(self) -> f64 {
        match self {
            Self::Time { wall, .. } => wall,
            Self::Bytes(_) => 0.0,
        }
    }
}

impl From<Usage> for Sample {
    fn from(usage: Usage) -> Self {
        Self::Time { processor: usage.processor, wall: usage.wall }
    }
}

/// One line of the table.
#[derive(Debug, Default)]
pub struct Row {
    /// What was done.
    pub name: String,
    brv: Vec<Sample>,
    git: Vec<Sample>,
}

impl Row {
    /// Without samples yet.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// One more sample.
    pub fn add(&mut self, side: Side, sample: Sample) {
        match side {
            Side::Brv => self.brv.push(sample),
            Side::Git => self.git.push(sample),
        }
    }
}

/// The head of the table.
pub const HEAD: &str =
    "| what | brv: processor (wall) | git: processor (wall) | brv / git |\n|---|--:|--:|--:|";

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (brv, git) = (Medians::of(&self.brv), Medians::of(&self.git));
        write!(out, "| {} | {brv} | {git} | {} |", self.name, brv.over(git))
    }
}

/// What one side took. Each number is a median by itself.
#[derive(Debug, Default, Clone, Copy)]
struct Medians {
    processor: Option<f64>,
    wall: Option<f64>,
    bytes: Option<f64>,
}

impl Medians {
    fn of(samples: &[Sample]) -> Self {
        Self {
            processor: median(samples.iter().filter_map(|sample| match *sample {
                Sample::Time { processor, .. } => processor,
                Sample::Bytes(_) => None,
            })),
            wall: median(samples.iter().filter_map(|sample| match *sample {
                Sample::Time { wall, .. } => Some(wall),
                Sample::Bytes(_) => None,
            })),
            bytes: median(samples.iter().filter_map(|sample| match *sample {
                Sample::Time { .. } => None,
                Sample::Bytes(bytes) => Some(bytes as f64),
            })),
        }
    }

    fn over(self, other: Self) -> String {
        let ratio = |one: Option<f64>, other: Option<f64>| one.zip(other).map(|(one, other)| one / other);
        let wall = ratio(self.wall, other.wall).map(|ratio| format!("({ratio:.2})"));
        let main = ratio(self.processor, other.processor).or_else(|| ratio(self.bytes, other.bytes));
        in_words([main.map(|ratio| format!("{ratio:.2}")), wall])
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

impl fmt::Display for Medians {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes.map(|bytes| Amount::Bytes(bytes as u64).to_string());
        let processor = self.processor.map(|seconds| Amount::Seconds(seconds).to_string());
        let wall = self.wall.map(|seconds| format!("({})", Amount::Seconds(seconds)));
        out.write_str(&in_words([bytes.or(processor), wall]))
    }
}

fn in_words(parts: [Option<String>; 2]) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "–".into() } else { parts.join(" ") }
}

/// A number with its unit, as a person reads it.
#[derive(Debug, Clone, Copy)]
pub enum Amount {
    /// A time.
    Seconds(f64),
    /// A size.
    Bytes(u64),
}

impl fmt::Display for Amount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Seconds(seconds) if seconds < 0.001 => write!(out, "{:.0} µs", seconds * 1e6),
            Self::Seconds(seconds) if seconds < 0.01 => write!(out, "{:.1} ms", seconds * 1e3),
            Self::Seconds(seconds) if seconds < 1.0 => write!(out, "{:.0} ms", seconds * 1e3),
            Self::Seconds(seconds) => write!(out, "{seconds:.2} s"),
            Self::Bytes(bytes) if bytes < 1_000_000 => write!(out, "{:.0} kB", bytes as f64 / 1e3),
            Self::Bytes(bytes) => write!(out, "{:.1} MB", bytes as f64 / 1e6),
        }
    }
}
