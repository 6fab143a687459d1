//! Formats the progress of one stage as a line of text: count, total, bytes, rate and a bar.
//!
//! Takes numbers and times as arguments; knows neither a clock nor a terminal.

use brv_base::progress::Stage;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The time over which the rate is averaged: short, so that a connection that slows down shows.
const WINDOW: Duration = Duration::from_secs(3);

const BAR: u64 = 24;

#[derive(Debug, Clone)]
pub(super) struct Gauge {
    pub stage: Stage,
    done: u64,
    total: Option<u64>,
    bytes: Option<u64>,
    /// Number of bytes at points in time, oldest first.
    samples: VecDeque<(Instant, u64)>,
}

impl Gauge {
    pub fn new(stage: Stage, now: Instant) -> Self {
        Self { stage, done: 0, total: None, bytes: None, samples: VecDeque::from([(now, 0)]) }
    }

    /// Set the number of completed steps. It never decreases, though threads may report out of order.
    pub fn set(&mut self, done: u64, total: Option<u64>) {
        self.done = self.done.max(done);
        self.total = total.or(self.total);
    }

    /// Set the number of completed bytes.
    pub fn set_bytes(&mut self, bytes: u64) {
        self.bytes = Some(bytes.max(self.bytes.unwrap_or_default()));
    }

    /// Whether all steps are done.
    pub fn is_complete(&self) -> bool {
        self.total == Some(self.done)
    }

    /// Bytes per second, over the last few seconds.
    fn rate(&mut self, now: Instant) -> Option<u64> {
        let bytes = self.bytes?;
        self.samples.push_back((now, bytes));
        while self.samples.len() > 2 && now.duration_since(self.samples[1].0) >= WINDOW {
            self.samples.pop_front();
        }
        let (since, before) = *self.samples.front()?;
        let seconds = now.duration_since(since).as_secs_f64();
        (seconds >= 0.1).then(|| (bytes.saturating_sub(before) as f64 / seconds) as u64)
    }

    /// `Receiving objects: 45% (10,738/23,867), 12.3 MiB, 5.1 MiB/s [==========>             ]`; without a total,
    /// only the parts that are known.
    pub fn line(&mut self, now: Instant) -> String {
        let mut line = self.stage.label().to_owned();
        match self.total.filter(|total| *total > 0) {
            Some(total) => {
                let done = self.done.min(total);
                line.push_str(&format!(": {}% ({}/{})", done * 100 / total, grouped(done), grouped(total)));
            }
            None if self.done > 0 => line.push_str(&format!(": {}", grouped(self.done))),
            None => line.push_str(" ..."),
        }
        if let Some(bytes) = self.bytes.filter(|bytes| *bytes > 0) {
            line.push_str(&format!(", {}", size(bytes)));
        }
        if let Some(rate) = self.rate(now).filter(|rate| *rate > 0) {
            line.push_str(&format!(", {}/s", size(rate)));
        }
        if let Some(total) = self.total.filter(|total| *total > 0) {
            line.push_str(&format!(" {}", bar(self.done.min(total), total)));
        }
        line
    }
}

/// `[=========>              ]`
fn bar(done: u64, total: u64) -> String {
    let filled = usize::try_from(done * BAR / total).unwrap_or_default();
    let whole = usize::try_from(BAR).unwrap_or_default();
    let (head, empty) = if filled == whole { ("", 0) } else { (">", whole - filled - 1) };
    format!("[{}{head}{}]", "=".repeat(filled), " ".repeat(empty))
}

/// `23,867`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `512 B`, `3.4 KiB`, `12.3 MiB`: git's units.
fn size(bytes: u64) -> String {
    let scaled = |unit: u64, name: &str| format!("{:.1} {name}", bytes as f64 / unit as f64);
    match bytes {
        0..0x400 => format!("{bytes} B"),
        0x400..0x10_0000 => scaled(0x400, "KiB"),
        0x10_0000..0x4000_0000 => scaled(0x10_0000, "MiB"),
        _ => scaled(0x4000_0000, "GiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_stage_is_told_in_one_line() {
        let start = Instant::now();
        let mut gauge = Gauge::new(Stage::Receive, start);
        assert_eq!(gauge.line(start), "Receiving objects ...");
        gauge.set(7, None);
        assert_eq!(gauge.line(start), "Receiving objects: 7");
        gauge.set(11_933, Some(23_867));
        gauge.set_bytes(12 << 20);
        let line = gauge.line(start + Duration::from_secs(2));
        assert_eq!(
            line,
            "Receiving objects: 49% (11,933/23,867), 12.0 MiB, 6.0 MiB/s [===========>            ]"
        );
        gauge.set(23_867, Some(23_867));
        assert!(gauge.is_complete());
        assert!(gauge.line(start).ends_with("[========================]"));
    }

    #[test]
    fn the_rate_forgets_what_is_long_past() {
        let start = Instant::now();
        let mut gauge = Gauge::new(Stage::Send, start);
        gauge.set_bytes(10 << 20);
        gauge.line(start + Duration::from_secs(1));
        for second in 2..9 {
            gauge.line(start + Duration::from_secs(second));
        }
        assert_eq!(gauge.line(start + Duration::from_secs(9)), "Compressing and sending ..., 10.0 MiB");
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_numbers_are_too_strange(done in any::<u32>(), total in any::<Option<u32>>(), bytes in any::<u64>()) {
            let now = Instant::now();
            let mut gauge = Gauge::new(Stage::Add, now);
            gauge.set(done.into(), total.map(Into::into));
            gauge.set_bytes(bytes);
            let line = gauge.line(now + Duration::from_millis(500));
            prop_assert!(line.starts_with("Adding files") && !line.contains('\n') && line.len() < 130);
        }
    }
}
