//! Runs a [`Verb`]: for the terminal, or for a surface that wants its JSON and its text.

use super::format::Format;
use super::session::{
    Caller, Catalog, CommandStart, Report, ReportNotes, Session, envelope, line, raw, start,
};
use super::ui::{Destination, Form, Memory};
use super::verb::{Answer, Verb};
use crate::say::{Exit, Failure, Reply};
use brv_engine::Context;
use clap::{ArgMatches, FromArgMatches as _};

/// Run the command on the terminal.
///
/// # Errors
/// The parser's, if the arguments do not fit each other.
pub fn call<V: Verb>(matches: &ArgMatches, caller: Caller) -> Result<Exit, clap::Error> {
    let mut verb = V::from_arg_matches(matches)?;
    let form = form(&mut verb, matches)?;
    let how = CommandStart { name: verb.schema(), form, mends_settings: verb.mends_settings() };
    Ok(start(how, caller, &mut |session| show(&mut verb, session)))
}

/// The form of the output that is asked for.
fn form<V: Verb>(verb: &mut V, matches: &ArgMatches) -> Result<Form, clap::Error> {
    Ok(match verb.differences() {
        Some(flags) => flags.form(),
        None if V::HAS_OWN_FORMATS => verb.form(),
        None => Format::from_arg_matches(matches)?.form(),
    })
}

fn show<V: Verb>(verb: &mut V, session: &Session) -> Result<Exit, Failure> {
    let cx = session.context();
    verb.prepare(&cx, session.catalog);
    verb.shown_in(session.ui.destination());
    if session.ui.is_interactive()
        && session.ui.form() == Form::Text
        && let Some(exit) = verb.ask(session)?
    {
        return Ok(exit);
    }
    let Answer { outcome, mut warnings, in_text, next, exit, failure, after } = verb.run(&cx)?;
    if session.ui.form() == Form::Json {
        warnings.extend(in_text);
    }
    let output = match verb.differences() {
        Some(flags) => flags.output(),
        None => verb.output(),
    };
    let report = Report::new(&outcome).purpose(verb.purpose()).output(output);
    let report = report.warning(warnings).next(next).exit(exit).failing(failure);
    let exit = session.report(report, |screen| verb.text(&outcome, screen));
    after.into_iter().for_each(|work| work());
    Ok(exit)
}

/// Run the command for another surface, which is given the reply before the work is done that nobody waits for.
///
/// # Errors
/// The parser's, if the arguments do not fit each other; then there is no reply.
pub fn reply<V: Verb>(
    matches: &ArgMatches,
    cx: &Context<'_>,
    all: Catalog,
    answer: &mut dyn FnMut(Reply),
) -> Result<(), clap::Error> {
    let mut verb = V::from_arg_matches(matches)?;
    verb.prepare(cx, all);
    let form = form(&mut verb, matches)?;
    verb.shown_in(Destination { form, ..Destination::default() });
    let mut shown = Vec::new();
    let (data, text, beside, after) = match verb.run(cx) {
        Ok(Answer { outcome, mut warnings, in_text, next, exit, failure, after }) => {
            shown.clone_from(&in_text);
            warnings.extend(in_text);
            let memory = Memory::default();
            let mut screen = memory.screen();
            verb.text(&outcome, &mut screen);
            drop(screen);
            let beside = ReportNotes { warnings, next, exit, failure };
            (Some(raw(&outcome)), memory.take(), beside, after)
        }
        Err(failure) => {
            (None, Vec::new(), ReportNotes { failure: Some(failure), ..ReportNotes::default() }, None)
        }
    };
    let (envelope, failure) = envelope(verb.schema(), cx, beside, data);
    let json = line(&envelope);
    let warnings = envelope.warnings.into_iter().filter(|warning| !shown.contains(warning)).collect();
    answer(Reply { json, text: String::from_utf8_lossy(&text).into_owned(), warnings, failure });
    after.into_iter().for_each(|work| work());
    Ok(())
}
