//! Terminal output: prints data on standard output, everything else on standard error. Nothing else prints.
//!
//! Knows streams, colours, the pager and the editor; knows no command.

mod bar;
mod editor;
mod gauge;
mod pager;
mod screen;
mod style;
mod width;

pub use bar::{Bar, Stream};
pub use editor::editor;
pub use screen::{Colour, Margin, Memory, Screen, ScreenKind};
pub use style::Style;
pub use width::{keep_end, keep_start, width};

#[cfg(test)]
pub(in crate::cli) use screen::tests::drawn;

use brv_base::config::{Color, Config};
use brv_base::environment::Environment;
use brv_base::messages::without_passwords;
use brv_engine::user_setting;
use pager::Pager;
use std::io::{self, IsTerminal as _, Write as _};

/// The streams of one command, and how to use them.
pub struct Ui {
    form: Form,
    loudness: Loudness,
    /// Whether long output is paged, and the pager from brv's own settings.
    paging: Paging,
    pager: Option<String>,
    out: (ScreenKind, Colour),
    err: (ScreenKind, Colour),
    environment: Environment,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    #[default]
    Text,
    /// For programs: one JSON envelope.
    Json,
}

/// What the text of a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The requested data.
    Answer,
    /// The requested data, which may be longer than a screen.
    LongAnswer,
    /// A summary of what was done, which `--quiet` leaves out.
    Account,
}

/// Where an answer is shown, as far as its form depends on that. The default is a program that wants text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Destination {
    pub form: Form,
    pub is_terminal: bool,
    pub is_coloured: bool,
    /// The width of the screen, from `COLUMNS`.
    pub columns: Option<usize>,
}

impl Destination {
    /// Standard output.
    pub fn screen(self) -> Screen {
        let kind = if self.is_terminal { ScreenKind::Terminal } else { ScreenKind::Pipe };
        let colour = if self.is_coloured { Colour::On } else { Colour::Off };
        Screen::new(Box::new(io::BufWriter::new(io::stdout())), kind, colour)
    }
}

/// How much is printed beside the data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Loudness {
    /// Results, warnings and hints.
    #[default]
    Normal,
    Quiet,
}

/// Whether long output may be paged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Paging {
    #[default]
    Auto,
    Off,
}

/// When progress is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Showing {
    /// On a terminal, for text output.
    #[default]
    Auto,
    /// Always: `--progress`.
    Always,
}

impl Ui {
    /// The streams of this process, set up by the settings.
    pub fn new(
        config: &Config,
        form: Form,
        loudness: Loudness,
        paging: Paging,
        environment: &Environment,
    ) -> Self {
        let kind = |terminal| if terminal { ScreenKind::Terminal } else { ScreenKind::Pipe };
        let out = kind(io::stdout().is_terminal());
        let err = kind(io::stderr().is_terminal());
        let paging = if out == ScreenKind::Terminal { paging } else { Paging::Off };
        let pager = config.pager.value.clone();
        let colour = |kind| colour(config.color.value, kind, environment);
        let (out, err) = ((out, colour(out)), (err, colour(err)));
        Self { form, loudness, paging, pager, out, err, environment: environment.clone() }
    }

    pub const fn form(&self) -> Form {
        self.form
    }

    /// Whether only data and errors are printed.
    pub fn is_quiet(&self) -> bool {
        self.loudness == Loudness::Quiet
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.out.0 == ScreenKind::Terminal
    }

    pub fn is_coloured(&self) -> bool {
        self.out.1 == Colour::On
    }

    pub fn destination(&self) -> Destination {
        Destination {
            form: self.form,
            is_terminal: self.is_terminal(),
            is_coloured: self.is_coloured(),
            columns: self.environment.get("COLUMNS").and_then(|columns| columns.parse().ok()),
        }
    }

    /// What the progress bar may print on standard error.
    pub fn progress_stream(&self, wish: Showing) -> Stream {
        let is_dumb = self.environment.get("TERM") == Some("dumb");
        match (wish, self.err.0) {
            (Showing::Auto, _) if self.is_quiet() => Stream::Silent,
            (Showing::Auto, ScreenKind::Terminal) if self.form == Form::Json || is_dumb => Stream::Messages,
            (Showing::Always, ScreenKind::Pipe) => Stream::Lines,
            (Showing::Always, ScreenKind::Terminal) if is_dumb => Stream::Lines,
            (_, kind) => Stream::of(kind),
        }
    }

    /// Whether a person can answer questions: input and output are a terminal.
    pub fn is_interactive(&self) -> bool {
        self.out.0 == ScreenKind::Terminal && io::stdin().is_terminal()
    }

    /// Standard output for data.
    pub fn screen(&self) -> Screen {
        self.destination().screen()
    }

    /// Standard output for data that may be long: through the pager on a terminal.
    pub fn pages(&self) -> Screen {
        let is_paged = self.paging == Paging::Auto && self.form == Form::Text && !self.is_quiet();
        match is_paged
            .then(|| self.pager())
            .flatten()
            .as_deref()
            .and_then(|line| Pager::start(line, &self.environment))
        {
            Some(pager) => {
                let (kind, colour) = self.out;
                Screen::new(Box::new(io::BufWriter::new(pager)), kind, colour)
            }
            None => self.screen(),
        }
    }

    fn pager(&self) -> Option<String> {
        // a repository's `core.pager` is ignored: it may come from elsewhere, and it runs a program
        let of_git = || user_setting("core.pager", &self.environment).map(|value| value.to_string());
        pager::choice(self.pager.as_deref(), &self.environment, of_git)
    }

    /// Print a labelled message on standard error, unless quiet.
    pub fn note(&self, label: &str, style: Style, text: &str) {
        if !self.is_quiet() {
            self.say(label, style, text);
        }
    }

    /// Print an error message.
    pub fn fault(&self, text: &str) {
        self.say("error", Style::Bad, text);
    }

    /// Print a detail of the error that [`Ui::fault`] printed.
    pub fn detail(&self, text: &str) {
        self.say("", Style::Plain, &format!("  {text}"));
    }

    fn say(&self, label: &str, style: Style, text: &str) {
        let (kind, colour) = self.err;
        let mut screen = Screen::new(Box::new(io::stderr()), kind, colour);
        if !label.is_empty() {
            screen.text(style, label).plain(": ");
        }
        screen.line(without_passwords(text));
        // standard error is closed: there is nowhere to report the error
        let _ = screen.finish();
    }
}

/// `NO_COLOR` and a dumb terminal apply unless colours were chosen explicitly.
fn colour(choice: Color, kind: ScreenKind, environment: &Environment) -> Colour {
    let refused = environment.get_filled("NO_COLOR").is_some() || environment.get("TERM") == Some("dumb");
    match choice {
        Color::Always => Colour::On,
        Color::Auto if kind == ScreenKind::Terminal && !refused => Colour::On,
        Color::Auto | Color::Never => Colour::Off,
    }
}

/// Print `text` on standard error, as it is. A closed standard error is ignored.
pub fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_needs_a_terminal_or_a_wish() {
        let none = &Environment::default();
        let no_color = &Environment::from_iter([("NO_COLOR", "1")]);
        assert_eq!(colour(Color::Auto, ScreenKind::Terminal, none), Colour::On);
        assert_eq!(colour(Color::Auto, ScreenKind::Pipe, none), Colour::Off);
        assert_eq!(colour(Color::Auto, ScreenKind::Terminal, no_color), Colour::Off);
        assert_eq!(colour(Color::Always, ScreenKind::Pipe, no_color), Colour::On);
        assert_eq!(colour(Color::Never, ScreenKind::Terminal, none), Colour::Off);
    }
}
