//! Progress bar: shown on a terminal, and only for work that takes a while.
//!
//! The work only updates numbers; a thread of the bar's own draws them at intervals, so that a stage without updates is
//! shown, too. If nothing may be drawn there is no thread, and updates do nothing.

use super::gauge::Gauge;
use super::screen::ScreenKind;
use brv_base::escape::escape_line;
use brv_base::progress::{Progress, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work that takes less than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(300);

/// How often the bar is drawn.
const PERIOD: Duration = Duration::from_millis(100);

/// How often a line is written if the output is not a terminal, where lines cannot be replaced.
const LINE_PERIOD: Duration = Duration::from_millis(1000);

/// A bar on standard error, and the remote's messages.
pub struct Bar {
    stream: Stream,
    shared: Arc<Mutex<BarState>>,
    painter: Mutex<Option<JoinHandle<()>>>,
}

/// What may be printed on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Nothing: `--quiet`.
    Silent,
    Messages,
    /// Messages, and progress as lines that stay: `--progress` into a pipe or a file.
    Lines,
    Everything,
}

#[derive(Default)]
struct BarState {
    gauge: Option<Gauge>,
    bar: Option<ProgressBar>,
    is_over: bool,
}

impl Bar {
    /// A bar for a standard error of this kind.
    pub fn new(stream: Stream) -> Self {
        Self { stream, shared: Arc::default(), painter: Mutex::new(None) }
    }

    /// Remove the bar from the screen, so that something else can be printed.
    pub fn clear(&self) {
        let painter = self.painter.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(painter) = painter else { return };
        lock(&self.shared).is_over = true;
        painter.thread().unpark();
        // the thread only draws; if it fails, nothing but the bar is lost
        let _ = painter.join();
        *lock(&self.shared) = BarState::default();
    }

    /// Print above the bar.
    fn say(&self, text: &str) {
        if self.stream == Stream::Silent {
            return;
        }
        match &lock(&self.shared).bar {
            Some(bar) => bar.suspend(|| super::say(text)),
            None => super::say(text),
        }
    }

    fn note(&self, stage: Stage, note: impl FnOnce(&mut Gauge)) {
        if !matches!(self.stream, Stream::Lines | Stream::Everything) {
            return;
        }
        let mut shared = lock(&self.shared);
        let gauge = shared.gauge.get_or_insert_with(|| Gauge::new(stage, Instant::now()));
        if gauge.stage != stage {
            *gauge = Gauge::new(stage, Instant::now());
        }
        note(gauge);
        drop(shared);
        let mut painter = self.painter.lock().unwrap_or_else(PoisonError::into_inner);
        if painter.is_none() {
            let (stream, shared) = (self.stream, Arc::clone(&self.shared));
            // without a thread there is no bar, and the work continues
            *painter = std::thread::Builder::new().spawn(move || paint(stream, &shared)).ok();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Stream {
    /// What may be printed on a standard error of this kind.
    pub const fn of(kind: ScreenKind) -> Self {
        match kind {
            ScreenKind::Terminal => Self::Everything,
            ScreenKind::Pipe => Self::Messages,
        }
    }
}

impl Progress for Bar {
    fn update(&self, stage: Stage, done: u64, total: Option<u64>) {
        self.note(stage, |gauge| gauge.set(done, total));
    }

    fn bytes(&self, stage: Stage, bytes: u64) {
        self.note(stage, |gauge| gauge.set_bytes(bytes));
    }

    fn notice(&self, line: &str) {
        self.say(&format!("{}\n", escape_line(line.as_bytes())));
    }

    fn remote_message(&self, line: &str) {
        self.say(&format!("remote: {}\n", escape_line(line.trim_end().as_bytes())));
    }
}

fn lock(shared: &Mutex<BarState>) -> MutexGuard<'_, BarState> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draw until the bar is dropped. Work that takes less than [`PATIENCE`] is never shown.
fn paint(stream: Stream, shared: &Mutex<BarState>) {
    let begin = Instant::now();
    let period = if stream == Stream::Lines { LINE_PERIOD } else { PERIOD };
    let mut next = begin + PATIENCE;
    loop {
        let now = Instant::now();
        let mut shared = lock(shared);
        if shared.is_over {
            if let Some(bar) = shared.bar.take() {
                bar.finish_and_clear();
            }
            return;
        }
        if now >= next {
            draw(stream, &mut shared, now);
            next = now + period;
        }
        drop(shared);
        std::thread::park_timeout(next.saturating_duration_since(Instant::now()));
    }
}

fn draw(stream: Stream, shared: &mut BarState, now: Instant) {
    // a completed stage is drawn when the next one begins, or at the end
    let Some(gauge) = shared.gauge.as_mut() else { return };
    let line = gauge.line(now);
    if stream == Stream::Lines {
        if !gauge.is_complete() {
            // standard error is closed: there is nowhere to report the error
            let _ = writeln!(std::io::stderr(), "{line}");
        }
        return;
    }
    shared.bar.get_or_insert_with(start).set_message(line);
}

/// A bar whose line is cut at the edge of the terminal: a line that wraps is not erased completely.
fn start() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style);
    bar
}
