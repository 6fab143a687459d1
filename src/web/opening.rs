//! Has a browser open an address, where there is one.

use brv_base::environment::Environment;
use brv_base::process;
use std::ffi::OsString;

/// The command line of a browser, which an address is put behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Browser(Vec<OsString>);

impl Browser {
    /// The one to start: none over SSH, in a container or in CI, unless `BROWSER` names one.
    pub fn of(environment: &Environment) -> Option<Self> {
        words(environment).filter(|words| !words.is_empty()).map(Self)
    }

    /// Start it; it is not waited for. Whether that worked.
    pub fn open(&self, environment: &Environment, address: &str) -> bool {
        let Some((program, arguments)) = self.0.split_first() else { return false };
        let mut command = process::command(program, environment);
        process::detach(command.args(arguments).arg(address)).is_ok()
    }
}

fn words(environment: &Environment) -> Option<Vec<OsString>> {
    if let Some(named) = environment.get_filled("BROWSER") {
        // several are separated by colons, and the first is tried
        let first = named.split(':').next().unwrap_or_default();
        return Some(first.split_whitespace().filter(|word| *word != "%s").map(OsString::from).collect());
    }
    let is_set = |name: &str| environment.get_filled(name).is_some();
    let is_remote = ["SSH_CONNECTION", "SSH_TTY", "CI", "container"].into_iter().any(is_set);
    if is_remote {
        return None;
    }
    let words: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        &["rundll32", "url.dll,FileProtocolHandler"]
    } else if is_set("WSL_DISTRO_NAME") {
        // wslview is of a package that not everyone has
        if is_program(environment, "wslview") { &["wslview"] } else { &["explorer.exe"] }
    } else if is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") {
        &["xdg-open"]
    } else {
        return None;
    };
    Some(words.iter().map(OsString::from).collect())
}

/// Whether a program of this name is in one of the folders of `PATH`.
fn is_program(environment: &Environment, name: &str) -> bool {
    let folders = environment.get_os("PATH").unwrap_or_default();
    std::env::split_paths(folders).any(|folder| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_started_where_a_person_sees_it() {
        let words = |variables: &[(&str, &str)]| {
            let found = Browser::of(&variables.iter().copied().collect());
            found.map(|browser| {
                browser.0.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
            })
        };
        assert_eq!(words(&[("BROWSER", "a b %s:c"), ("CI", "1")]), Some(vec!["a".into(), "b".into()]));
        assert_eq!(words(&[("CI", "1"), ("DISPLAY", ":0")]), None);
        assert_eq!(words(&[("SSH_CONNECTION", "x"), ("DISPLAY", ":0")]), None);
        if cfg!(target_os = "linux") {
            assert_eq!(words(&[]), None);
            assert_eq!(words(&[("DISPLAY", ":0")]), Some(vec!["xdg-open".into()]));
        }
    }
}
