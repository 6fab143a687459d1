//! What was measured, as one markdown table: medians, minima, and brv's median over git's.

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
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum Sample {
    /// Wall-clock time of a whole process, in seconds.
    Seconds(f64),
    /// Memory or a file, in bytes.
    Bytes(u64),
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
pub const HEAD: &str = "| what | brv: median (min) | git: median (min) | brv / git |\n|---|--:|--:|--:|";

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (brv, git) = (Summary::of(&self.brv), Summary::of(&self.git));
        let ratio = brv.zip(git).map(|(brv, git)| brv.median.number() / git.median.number());
        let ratio = ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"));
        write!(out, "| {} | {} | {} | {ratio} |", self.name, Cell(brv), Cell(git))
    }
}

#[derive(Clone, Copy)]
struct Summary {
    median: Sample,
    least: Sample,
}

impl Summary {
    fn of(samples: &[Sample]) -> Option<Self> {
        let mut samples = samples.to_vec();
        samples.sort_by(|a, b| a.number().total_cmp(&b.number()));
        Some(Self { median: *samples.get(samples.len() / 2)?, least: *samples.first()? })
    }
}

struct Cell(Option<Summary>);

impl fmt::Display for Cell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => out.write_str("–"),
            Some(Summary { median, least }) if median == least => write!(out, "{median}"),
            Some(Summary { median, least }) => write!(out, "{median} ({least})"),
        }
    }
}

impl Sample {
    fn number(self) -> f64 {
        match self {
            Self::Seconds(seconds) => seconds,
            Self::Bytes(bytes) => bytes as f64,
        }
    }
}

impl fmt::Display for Sample {
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
