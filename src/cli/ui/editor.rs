//! The editor that brv opens, chosen as git does.

use brv_base::environment::Environment;
use brv_engine::user_setting;
use std::ffi::OsString;

/// The editor's command line, chosen as git does: `GIT_EDITOR`, `core.editor` of the user or the machine (a
/// repository's setting is ignored, as with the pager), `VISUAL` unless the terminal is dumb, `EDITOR`, `vi`. `None` if
/// no editor could work.
pub fn editor(environment: &Environment) -> Option<OsString> {
    let set = |name: &str| environment.get_os(name).filter(|value| !value.is_empty()).map(OsString::from);
    let is_dumb = set("TERM").is_none_or(|terminal| terminal == "dumb");
    let of_git = || user_setting("core.editor", environment).map(|value| OsString::from(value.to_string()));
    let usual = if cfg!(windows) { "notepad" } else { "vi" };
    set("GIT_EDITOR")
        .or_else(of_git)
        .or_else(|| set("VISUAL").filter(|_| !is_dumb))
        .or_else(|| set("EDITOR"))
        .or_else(|| (!is_dumb || cfg!(windows)).then(|| usual.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editor_is_the_one_that_git_would_start() {
        let choice = |set: &[(&str, &str)]| {
            let fixed = [("GIT_CONFIG_NOSYSTEM", "1")];
            editor(&set.iter().chain(&fixed).copied().collect())
                .map(|line| line.to_string_lossy().into_owned())
        };
        let [git, visual, plain] = [("GIT_EDITOR", "git"), ("VISUAL", "visual"), ("EDITOR", "plain")];
        let (term, dumb) = (("TERM", "xterm"), ("TERM", "dumb"));
        for (set, chosen) in [
            (&[git, visual, plain, term] as &[_], "git"),
            (&[visual, plain, term], "visual"),
            (&[visual, plain, dumb], "plain"),
            (&[("GIT_EDITOR", ""), plain], "plain"),
        ] {
            assert_eq!(choice(set).as_deref(), Some(chosen));
        }
        #[cfg(unix)]
        assert_eq!(
            (choice(&[term]).as_deref(), choice(&[visual, dumb]), choice(&[])),
            (Some("vi"), None, None)
        );
    }
}
