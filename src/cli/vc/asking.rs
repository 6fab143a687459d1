//! Lists the open conflicts of a merge, and asks a user at a terminal to resolve them one by one.
//!
//! Changes no files itself; only an editor that the user starts does.

use crate::cli::session::Session;
use crate::cli::ui::{Colour, Screen, Style, editor};
use crate::say::words::many;
use crate::say::{Failure, decisions};
use brv_base::process;
use brv_commands::vc::resolve::{
    self, Choice, Choices, Numbered, Options, Outcome, Pick, ResolveState, ResolvedFile, Texts,
};
use brv_engine::FailureKind;
use brv_text::diff::{LineKind, Word, words};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeSet;
use std::io::{BufRead as _, Write as _};

/// Whether the words that differ from the base are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordMarks {
    Shown,
    None,
}

impl From<Colour> for WordMarks {
    /// Mark by colour only: `[-…-]` between the words would only clutter the list.
    fn from(colour: Colour) -> Self {
        if colour == Colour::On { Self::Shown } else { Self::None }
    }
}

/// Print the open conflicts, each with its three texts.
pub(super) fn list(screen: &mut Screen, data: &Outcome) {
    if data.files.is_empty() {
        screen.line("No conflicts.");
    }
    for (at, file) in data.files.iter().enumerate() {
        if at > 0 {
            screen.end();
        }
        screen.word(Style::Strong, &file.path);
        screen.line(match (file.decisions.len(), file.standing) {
            (0, ResolveState::Unmerged) => {
                ": resolved by hand, not staged yet; stage it with `brv vc add`".to_owned()
            }
            (0, _) => ": no conflicts".to_owned(),
            (open, _) => format!(": {}", many(open, "conflict", "conflicts")),
        });
        let marks = WordMarks::from(screen.colour());
        file.decisions.iter().for_each(|decision| show(screen, decision, marks));
    }
}

/// Print one conflict with its three texts.
fn show(screen: &mut Screen, decision: &Numbered, marks: WordMarks) {
    screen.plain("  ").word(Style::Notable, format!("#{}", decision.number)).plain(" ");
    let line = decision.line.map_or_else(String::new, |line| format!("line {line}, "));
    let place = decisions::place(&decision.place).unwrap_or_else(|| "the file".to_owned());
    screen.line(format!("{line}{place}: {}", decisions::why(decision.reason)));
    let (base, ours, theirs) = (&decision.base, &decision.ours, &decision.theirs);
    // without a base, mark the words in which the sides differ from each other
    let of_ours = base.as_ref().or(theirs.as_ref());
    let of_theirs = base.as_ref().or(ours.as_ref());
    let sides = [
        ("base", base, None, Style::Dim, Style::Dim),
        ("ours", ours, of_ours, Style::Good, Style::GoodWord),
        ("theirs", theirs, of_theirs, Style::Other, Style::OtherWord),
    ];
    for (name, text, other, style, strong) in sides {
        let Some(text) = text else { continue };
        let marked = other.filter(|_| marks == WordMarks::Shown).and_then(|other| marked(other, text));
        let pieces =
            marked.unwrap_or_else(|| vec![Word { kind: LineKind::Context, text: text.as_str().into() }]);
        screen.text(Style::Dim, "     ").text(style, format!("{name:<7}"));
        let common = if name == "base" { Style::Dim } else { Style::Plain };
        if text.is_empty() {
            screen.text(common, "(nothing)").end();
            continue;
        }
        pieces.iter().for_each(|piece| draw_piece(screen, piece, common, strong));
        if !text.ends_with('\n') {
            screen.end();
        }
    }
}

/// The words of both texts; `None` if they have too little in common for marks to help.
fn marked(other: &str, text: &str) -> Option<Vec<Word>> {
    let words = words(other.as_bytes(), text.as_bytes());
    let kept: usize =
        words.iter().filter(|word| word.kind == LineKind::Context).map(|word| word.text.trim().len()).sum();
    (kept * 3 >= other.len().max(text.len())).then_some(words)
}

/// Print a run of words; lines after the first are indented below it.
fn draw_piece(screen: &mut Screen, piece: &Word, common: Style, strong: Style) {
    let (style, open, close) = match (piece.kind, screen.colour()) {
        (LineKind::Context, _) => (common, "", ""),
        (LineKind::Removed, _) => (Style::Dim, "[-", "-]"),
        (LineKind::Added, Colour::On) => (strong, "", ""),
        (LineKind::Added, Colour::Off) => (strong, "{+", "+}"),
    };
    let text = piece.text.to_str_lossy();
    screen.text(style, open);
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            screen.end();
        }
        if number > 0 && !line.is_empty() {
            screen.plain(" ".repeat(12));
        }
        screen.word(style, line);
    }
    screen.text(style, close);
}

#[derive(Debug, Default)]
pub(super) struct ConflictAnswers {
    /// The chosen side of each conflict.
    pub picks: Vec<Pick>,
    /// Whether a file has been changed already.
    is_changed: bool,
}

impl ConflictAnswers {
    pub(super) const fn is_nothing(&self) -> bool {
        self.picks.is_empty() && !self.is_changed
    }

    fn put_in(&mut self, session: &Session, paths: &[String]) -> Result<(), Failure> {
        if self.picks.is_empty() {
            return Ok(());
        }
        let choices = Choices::Picks(std::mem::take(&mut self.picks));
        let options = Options::Decide { paths: paths.to_vec(), choices };
        let put = resolve::run(&session.context(), &options)?;
        self.is_changed |= put.written.rewritten.operation.is_some();
        Ok(())
    }
}

/// Show each conflict to the user at the terminal and ask.
pub(super) fn ask(session: &Session, paths: &[String]) -> Result<ConflictAnswers, Failure> {
    let mut listed = listed(session, paths)?;
    let mut asked = ConflictAnswers::default();
    let mut answered: BTreeSet<(BString, usize)> = BTreeSet::new();
    if listed.files.iter().all(|file| file.decisions.is_empty()) {
        draw(session, |screen| list(screen, &listed));
        return Ok(asked);
    }
    while let Some((file, decision)) = first_open(&listed, &answered) {
        draw(session, |screen| {
            screen.word(Style::Strong, &file.path).end();
            show(screen, decision, WordMarks::Shown);
        });
        let answer = answer(session, decision.line.is_some())?;
        let (path, number) = (BString::from(&*file.path), decision.number);
        match answer {
            Answer::Take(choice) => {
                let [base, ours, theirs] =
                    [&decision.base, &decision.ours, &decision.theirs].map(Option::clone);
                let (path, seen) = (Some(path.clone()), Some(Texts { base, ours, theirs }));
                asked.picks.push(Pick { path, number, choice, seen });
            }
            Answer::Skip => {}
            Answer::Quit => break,
            Answer::Edit => {
                // write the decisions so far into the file before the user edits it
                asked.put_in(session, paths)?;
                asked.is_changed |= edit(session, path.as_bstr())?;
                listed = self::listed(session, paths)?;
                continue;
            }
        }
        answered.insert((path, number));
    }
    Ok(asked)
}

fn listed(session: &Session, paths: &[String]) -> Result<Outcome, Failure> {
    let options = Options::List(paths.to_vec());
    Ok(resolve::run(&session.context(), &options)?)
}

/// The first conflict that was not asked about yet.
fn first_open<'l>(
    listed: &'l Outcome,
    answered: &BTreeSet<(BString, usize)>,
) -> Option<(&'l ResolvedFile, &'l Numbered)> {
    let all =
        listed.files.iter().flat_map(|file| file.decisions.iter().map(move |decision| (file, decision)));
    all.into_iter()
        .find(|(file, decision)| !answered.contains(&(BString::from(&*file.path), decision.number)))
}

/// Open the file in the editor; returns whether that succeeded.
fn edit(session: &Session, path: &BStr) -> Result<bool, Failure> {
    let complain = |words: String| {
        draw(session, |screen| {
            screen.word(Style::Bad, words).end();
        });
        Ok(false)
    };
    let Some(editor) = editor(&session.environment) else {
        return complain("No editor is configured: set EDITOR, or edit the file elsewhere.".to_owned());
    };
    let file = resolve::on_disk(&session.context(), path)?;
    match process::edit(&editor, &file, &session.environment) {
        Ok(true) => Ok(true),
        Ok(false) => complain(format!("The editor `{}` failed.", editor.to_string_lossy())),
        Err(error) => complain(format!("Cannot start the editor `{}`: {error}", editor.to_string_lossy())),
    }
}

fn draw(session: &Session, words: impl FnOnce(&mut Screen)) {
    let mut screen = session.ui.screen();
    words(&mut screen);
    // if the terminal is gone, the next read fails
    let _ = screen.finish();
}

enum Answer {
    Take(Choice),
    Edit,
    Skip,
    Quit,
}

fn answer(session: &Session, is_editable: bool) -> Result<Answer, Failure> {
    let edit = if is_editable { "(e)dit, " } else { "" };
    let keys = format!("(o)urs, (t)heirs, (b)oth, b(a)se, {edit}(s)kip, (q)uit? ");
    loop {
        draw(session, |screen| {
            screen.plain(&*keys);
        });
        let _ = std::io::stdout().flush();
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let read = read
            .map_err(|error| Failure::new(FailureKind::Failed, format!("cannot read the answer: {error}")))?;
        return Ok(match line.trim() {
            "q" | "quit" => Answer::Quit,
            _ if read == 0 => Answer::Quit,
            "s" | "skip" => Answer::Skip,
            "e" | "edit" if is_editable => Answer::Edit,
            "o" | "ours" => Answer::Take(Choice::Ours),
            "t" | "theirs" => Answer::Take(Choice::Theirs),
            "b" | "both" => Answer::Take(Choice::Both),
            "a" | "base" => Answer::Take(Choice::Base),
            _ => continue,
        });
    }
}
