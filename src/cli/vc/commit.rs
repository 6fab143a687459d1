//! `brv vc commit`: commits what is staged.

use super::{message, refused};
use crate::cli::guarding::{Amending, Doors};
use crate::cli::session::Session;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Exit, Failure, warnings, words};
use brv_commands::vc::commit::{
    self, Basis, CreatedCommit, Empty, Include, Options, Outcome, Replaces, Takes, Unrecorded, Wish,
};
use brv_engine::{Context, FailureKind, Stop};
use clap::Args;

/// The `error.code` where there is no commit.
const NOTHING_TO_COMMIT: &str = "nothing_to_commit";

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
    /// The state that the message was written for.
    #[arg(skip)]
    basis: Option<Basis>,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc commit";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn ask(&mut self, session: &Session) -> Result<Option<Exit>, Failure> {
        if self.no_edit || !self.message.is_empty() {
            return Ok(None);
        }
        let options = self.options();
        if let Some((message, basis)) = message::written(session, &options)? {
            (self.message, self.basis) = (vec![message], Some(basis));
        }
        Ok(None)
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = commit::run(cx, &self.options())?;
        let made = outcome.commit.as_ref();
        let said: Vec<String> = warnings::written(&outcome.written)
            .into_iter()
            .chain(warnings::refusals(&outcome.refused))
            .chain(made.into_iter().flat_map(|commit| warnings::findings(&commit.findings)))
            .chain(warnings::unused(&outcome.unused))
            .collect();
        let next = made.and_then(|commit| words::tidying(commit.tidying));
        let failure = self.failing(&outcome);
        Ok(Answer::new(outcome).warning(said).next(next).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if let Some(commit) = &outcome.commit {
            committed(screen, commit);
        }
        // else the error says it
        if outcome.unrecorded.is_some() && self.amend && outcome.refused.is_empty() {
            screen.line("Nothing to commit, working tree clean.");
        }
    }
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            message: self.message.clone(),
            include: match &self.paths[..] {
                _ if self.all => Include::AllChanges,
                [] => Include::Staged,
                paths => Include::Only(paths.to_vec()),
            },
            empty: if self.allow_empty { Empty::Allow } else { Empty::Refuse },
            author: self.author.clone(),
            signing: match &self.gpg_sign {
                _ if self.no_gpg_sign => Wish::Plain,
                None => Wish::Settings,
                Some(key) => Wish::Sign(Some(key.clone()).filter(|key| !key.is_empty())),
            },
            takes: Takes::Anything,
            replaces: if self.amend { Replaces::Head } else { Replaces::Nothing },
            allowed: self.doors.allowed(),
            basis: self.basis.clone(),
        }
    }

    /// Files that were not staged, or nothing to commit.
    fn failing(&self, outcome: &Outcome) -> Option<Failure> {
        let stop = if outcome.refused.is_empty() {
            match outcome.unrecorded.filter(|_| !self.amend)? {
                Unrecorded::Nothing => Stop::failed("nothing to commit"),
                Unrecorded::Something => Stop::failed("nothing staged to commit")
                    .hint("stage changes with `brv vc add PATH...`; `brv vc status` lists them"),
            }
        } else {
            let files = words::many(outcome.refused.len(), "changed file was", "changed files were");
            refused::stop(FailureKind::Failed, format!("{files} not staged"), &outcome.refused)
        };
        Some(Failure::from(if outcome.commit.is_none() { stop.code(NOTHING_TO_COMMIT) } else { stop }))
    }
}

/// `[main 1a2b3c4] subject`, then what changed.
pub(super) fn committed(screen: &mut Screen, commit: &CreatedCommit) {
    screen.plain("[");
    match &commit.branch {
        Some(branch) => screen.word(Style::Name, branch),
        None => screen.plain("detached HEAD"),
    };
    screen.plain(if commit.root { " (root-commit) " } else { " " });
    screen.text(Style::Notable, commit.id.prefix(7)).plain("] ").word(Style::Plain, &commit.subject).end();
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
