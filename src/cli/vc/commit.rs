//! `brv vc commit`: commits what is staged.

use super::message;
use crate::cli::guarding::{Amending, Doors};
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Screen, Style};
use crate::say::{Exit, Failure, failing, warnings, words};
use crate::wire;
use brv_commands::vc::commit::{Empty, Include, Options, Replaces, Takes, Wish};
use clap::Args;

/// The arguments of `brv vc commit`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc commit -m \"auth: tokens live 12 hours\"
  brv vc commit -a -m \"auth: tokens live 12 hours\" -m \"decided by the security review\"
  brv vc commit -m \"auth: keys rotate weekly\" auth/jwt/keys.md
  brv vc commit --amend -m \"auth: tokens live 12 hours, not 24\"
  brv vc commit --amend --all --no-edit
  brv vc commit --gpg-sign -m \"billing: signed off\"
  brv vc commit --author \"Ada <ada@example.org>\" -m \"billing: first notes\"")]
pub struct Arguments {
    /// Commit only these files and folders, as they are on disk; other staged changes stay staged
    #[arg(value_name = "PATH", conflicts_with = "all")]
    paths: Vec<String>,
    /// Commit message; each further -m adds a paragraph. Without -m, an editor opens on a terminal (GIT_EDITOR,
    /// core.editor, VISUAL, EDITOR)
    #[arg(short, long, value_name = "MSG")]
    message: Vec<String>,
    /// Replace the last commit, adding what is staged; keeps its author, its parents and, without -m, its message
    #[arg(long)]
    amend: bool,
    /// Use the existing message, of the merge or the amended commit, without an editor
    #[arg(long, conflicts_with = "message")]
    no_edit: bool,
    /// Stage all changes of tracked files first
    #[arg(short, long)]
    all: bool,
    /// Commit even if nothing changed
    #[arg(long)]
    allow_empty: bool,
    /// Author of the commit, if not you
    #[arg(long, value_name = "NAME <EMAIL>", value_parser = author)]
    author: Option<(String, String)>,
    /// Sign the commit, with KEY or git's `user.signingKey`
    #[arg(short = 'S', long, value_name = "KEY", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    gpg_sign: Option<String>,
    /// Do not sign the commit, whatever `commit.gpgsign` says
    #[arg(long, overrides_with = "gpg_sign")]
    no_gpg_sign: bool,
    #[command(flatten)]
    doors: Doors<Amending>,
}

impl Run for Arguments {
    const NAME: &'static str = "vc commit";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options {
            message: self.message,
            include: match self.paths {
                _ if self.all => Include::AllChanges,
                paths if paths.is_empty() => Include::Staged,
                paths => Include::Only(paths),
            },
            empty: if self.allow_empty { Empty::Allow } else { Empty::Refuse },
            author: self.author,
            signing: match self.gpg_sign {
                _ if self.no_gpg_sign => Wish::Plain,
                None => Wish::Settings,
                Some(key) => Wish::Sign(Some(key).filter(|key| !key.is_empty())),
            },
            takes: Takes::Anything,
            replaces: if self.amend { Replaces::Head } else { Replaces::Nothing },
            allowed: self.doors.allowed(),
            basis: None,
        };
        let is_amend = self.amend;
        let data = wire::Commit::from(&message::committed(session, options, self.no_edit.into())?);
        let report = Report::new(&data)
            .account()
            .warning(warnings::written(&data.written))
            .warning(warnings::refusals(&data.refused))
            .warning(data.commit.iter().flat_map(|commit| warnings::findings(&commit.findings)))
            .warning(warnings::unused(&data.unused))
            .next(data.commit.as_ref().and_then(|commit| words::tidying(commit.tidying)))
            .failing(failing::commit(&data, is_amend));
        Ok(session.report(report, |screen| {
            if let Some(commit) = &data.commit {
                committed(screen, commit);
            }
            // else the error says it
            if data.unrecorded.is_some() && is_amend && data.refused.is_empty() {
                screen.line("Nothing to commit, working tree clean.");
            }
        }))
    }
}

/// `[main 1a2b3c4] subject`, then what changed.
pub(super) fn committed(screen: &mut Screen, commit: &wire::NewCommit) {
    screen.plain("[");
    match &commit.branch {
        Some(branch) => screen.word(Style::Name, branch),
        None => screen.plain("detached HEAD"),
    };
    screen.plain(if commit.root { " (root-commit) " } else { " " });
    screen.text(Style::Notable, &commit.id[..7]).plain("] ").word(Style::Plain, &commit.subject).end();
    screen.line(format!(" {}", words::changes(&commit.changes)));
}

/// Split `Name <address>` into its two parts.
fn author(text: &str) -> Result<(String, String), String> {
    let wrong = || "must be of the form `Name <address>`".to_string();
    let (name, rest) = text.split_once('<').ok_or_else(wrong)?;
    let email = rest.trim_end().strip_suffix('>').ok_or_else(wrong)?;
    let is_clean = |part: &str| !part.contains(['<', '>', '\n', '\0']);
    let (name, email) = (name.trim(), email.trim());
    if name.is_empty() || !is_clean(name) || !is_clean(email) {
        return Err(wrong());
    }
    Ok((name.into(), email.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_has_a_name_and_an_address() {
        assert_eq!(author("Ada L <ada@x.org>"), Ok(("Ada L".into(), "ada@x.org".into())));
        for wrong in ["Ada", "<ada@x.org>", "Ada <ada@x.org", "A <b> <c>"] {
            assert!(author(wrong).is_err(), "{wrong}");
        }
    }
}
