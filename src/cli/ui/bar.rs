//! The progress bar: on a terminal, and only for work that takes its time.

use super::escape::escape_line;
use super::screen::Kind;
use crate::progress::{Progress, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Work that ends sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on standard error, and the remote's messages.
pub struct Bar {
    stream: Stream,
    state: Mutex<Option<Shown>>,
}

/// What may be shown on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Nothing: `--quiet`.
    Silent,
    /// The remote's messages.
    Messages,
    /// Messages and the bar.
    Everything,
}

struct Shown {
    stage: Stage,
    since: Instant,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// A bar for a standard error of this kind.
    #[must_use]
    pub fn new(stream: Stream) -> Self {
        Self { stream, state: Mutex::new(None) }
    }

    /// Take the bar off the screen, so that something else can be written.
    pub fn clear(&self) {
        let shown = self.state.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(bar) = shown.and_then(|shown| shown.bar) {
            bar.finish_and_clear();
        }
    }
}

impl Stream {
    /// What a standard error of this kind may show.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Terminal => Self::Everything,
            Kind::Pipe => Self::Messages,
        }
    }
}

impl Progress for Bar {
    fn update(&self, stage: Stage, done: u64, total: Option<u64>) {
        if self.stream != Stream::Everything {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.as_ref().is_none_or(|shown| shown.stage != stage) {
            if let Some(bar) = state.take().and_then(|shown| shown.bar) {
                bar.finish_and_clear();
            }
            *state = Some(Shown { stage, since: Instant::now(), bar: None });
        }
        let Some(shown) = state.as_mut() else { return };
        if shown.bar.is_none() && shown.since.elapsed() < PATIENCE {
            return;
        }
        let bar = shown.bar.get_or_insert_with(|| start(stage, total));
        if let Some(total) = total {
            bar.set_length(total);
        }
        bar.set_position(done);
        if total == Some(done) {
            bar.finish_and_clear();
            *state = None;
        }
    }

    fn remote_message(&self, line: &str) {
        if self.stream == Stream::Silent {
            return;
        }
        let line = line.trim_end();
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let say = || eprintln!("remote: {}", escape_line(line.as_bytes()));
        match state.as_ref().and_then(|shown| shown.bar.as_ref()) {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }
}

fn start(stage: Stage, total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let template = match total {
        Some(_) => "{msg} [{bar:30}] {pos}/{len}",
        None => "{msg} {spinner} {pos}",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("=> "));
    bar.set_message(stage.label());
    bar
}
