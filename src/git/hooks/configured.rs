//! Hooks in the repository's own settings: `hook.brv-<event>.event` and `.command`, which git runs beside the hook's
//! file, whoever rules that. git has them from version 2.54 on; an older one ignores them.

use super::Event;
use crate::error::{During as _, Error};
use crate::repository::config_file;
use crate::repository::scope::Scope;
use brv_base::environment::Environment;
use brv_base::process;
use bstr::{BString, ByteSlice as _};
use gix::config::File;
use std::fmt;
use std::path::PathBuf;

const SECTION: &str = "hook";
const EVENT: &str = "event";
const COMMAND: &str = "command";

/// The version of a git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion(pub u32, pub u32);

/// The first git that runs such hooks.
pub const SINCE: GitVersion = GitVersion(2, 54);

impl fmt::Display for GitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// The version of the git on `PATH`; `None` if there is none, or it does not say.
pub fn version(environment: &Environment) -> Option<GitVersion> {
    let git = process::find_on_path("git", environment)?;
    let output = process::command(git, environment).arg("--version").output().ok()?;
    parse(&String::from_utf8_lossy(&output.stdout))
}

/// `git version 2.39.5 (Apple Git-154)`
fn parse(text: &str) -> Option<GitVersion> {
    let mut parts = text.strip_prefix("git version ")?.trim().split('.');
    let mut number = || parts.next()?.parse().ok();
    Some(GitVersion(number()?, number()?))
}

/// The file with these settings.
pub fn file(scope: &Scope) -> PathBuf {
    config_file::path(scope)
}

fn section(event: Event) -> BString {
    format!("brv-{event}").into()
}

/// What runs at an event; `None` if there is no such hook.
pub fn read(scope: &Scope, event: Event) -> Result<Option<String>, Error> {
    Ok(command(&config_file::read(scope)?, event))
}

fn command(file: &File, event: Event) -> Option<String> {
    let section = section(event);
    let values = |name| file.raw_values_by(SECTION, Some(section.as_bstr()), name).unwrap_or_default();
    let (events, commands) = (values(EVENT), values(COMMAND));
    if events.is_empty() && commands.is_empty() {
        return None;
    }
    // anything else than one event is not what brv wrote
    let is_whole = events.len() == 1 && events[0] == event.name().as_bytes();
    let last = commands.last().filter(|_| is_whole).map(|value| value.to_str_lossy().into_owned());
    Some(last.unwrap_or_default())
}

/// Set what runs at each event, in one step.
pub fn write(scope: &Scope, hooks: &[(Event, String)]) -> Result<(), Error> {
    config_file::edit(scope, |file| {
        for (event, command) in hooks {
            remove_from(file, *event);
            let section = section(*event);
            for (name, value) in [(EVENT, event.name()), (COMMAND, command)] {
                file.set_raw_value_by(SECTION, Some(section.as_bstr()), name, value)
                    .during(|| format!("set `{SECTION}.{section}.{name}`"))?;
            }
        }
        Ok(())
    })
}

/// Remove the hooks of these events. Nothing else of the file changes.
pub fn remove(scope: &Scope, events: &[Event]) -> Result<(), Error> {
    config_file::edit(scope, |file| {
        events.iter().for_each(|event| remove_from(file, *event));
        Ok::<_, Error>(())
    })?;
    // the lock of the settings was announced in it
    let _ = std::fs::remove_dir(scope.common_dir().join("brv"));
    Ok(())
}

fn remove_from(file: &mut File, event: Event) {
    let name = section(event);
    let sections = file.sections_and_ids_by_name(SECTION).into_iter().flatten();
    let ids: Vec<_> = sections
        .filter(|(section, _)| section.header().subsection_name() == Some(name.as_bstr()))
        .map(|(_, id)| id)
        .collect();
    for id in ids {
        let mut section = file.section_mut_by_id(id).expect("listed just now");
        for name in [EVENT, COMMAND] {
            while section.remove(name).is_some() {}
        }
        if section.num_values() == 0 && !section.to_bstring().contains_str("#") {
            file.remove_section_by_id(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init;

    #[test]
    fn a_hook_is_written_read_replaced_and_removed_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main", &Environment::default()).unwrap();
        let text = || std::fs::read_to_string(file(&scope)).unwrap();
        let before = text();
        let command = |word: &str| format!("f() {{ \"{word}\" 'x' >/dev/null 2>&1; }}; f # \\ ");
        for word in ["one", "two"] {
            write(&scope, &[(Event::PostCommit, command(word)), (Event::PrePush, word.into())]).unwrap();
            assert_eq!(read(&scope, Event::PostCommit).unwrap().unwrap(), command(word));
        }
        assert_eq!(read(&scope, Event::PostMerge).unwrap(), None);
        let after = text();
        assert!(after.starts_with(&before) && after.matches("[hook \"brv-").count() == 2, "{after}");
        remove(&scope, &Event::ALL).unwrap();
        assert_eq!(text(), before);
    }

    #[test]
    fn a_hook_that_somebody_changed_is_not_taken_for_brvs() {
        let folder = tempfile::tempdir().unwrap();
        let scope = init(folder.path(), "main", &Environment::default()).unwrap();
        write(&scope, &[(Event::PostCommit, "one".into())]).unwrap();
        let text =
            std::fs::read_to_string(file(&scope)).unwrap() + "\tevent = pre-commit\n\tenabled = false\n";
        brv_base::fs::replace(&file(&scope), text.as_bytes(), brv_base::fs::Durability::Later).unwrap();
        assert_eq!(read(&scope, Event::PostCommit).unwrap().unwrap(), "");
        remove(&scope, &[Event::PostCommit]).unwrap();
        let text = std::fs::read_to_string(file(&scope)).unwrap();
        assert!(text.ends_with("[hook \"brv-post-commit\"]\n\tenabled = false\n"), "{text}");
    }

    #[test]
    fn versions_are_read_as_gits_print_them() {
        for (text, version) in [
            ("git version 2.54.0\n", Some(GitVersion(2, 54))),
            ("git version 2.39.5 (Apple Git-154)\n", Some(GitVersion(2, 39))),
            ("git version 2.60.1.windows.1\n", Some(GitVersion(2, 60))),
            ("git version 3.0\n", Some(GitVersion(3, 0))),
            ("got version 2.54.0\n", None),
            ("", None),
        ] {
            assert_eq!(parse(text), version, "{text}");
        }
        assert!(GitVersion(3, 0) > SINCE && GitVersion(2, 9) < SINCE);
    }
}
