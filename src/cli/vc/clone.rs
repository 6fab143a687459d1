//! `brv vc clone`: clones a tree from a remote into a project.

use crate::cli::format::above_zero;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, warnings, words};
use brv_commands::vc::clone::{self, Branches, Depth, Derive, Options, Outcome, Tags};
use brv_engine::{Context, FailureKind};
use clap::Args;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// The arguments of `brv vc clone`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc clone https://git.example.org/team/knowledge.git
  brv vc clone git@git.example.org:team/knowledge.git project
  brv vc clone -b trunk ../knowledge.git project
  brv vc clone --depth 1 https://git.example.org/team/knowledge.git")]
pub struct Arguments {
    /// Address of the tree: https, ssh, git, or a path
    #[arg(value_name = "URL")]
    url: String,
    /// Project folder to clone into; default: the current folder
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Branch to check out; default: the remote's default branch
    #[arg(short, long, value_name = "BRANCH")]
    branch: Option<String>,
    /// Name of the remote
    #[arg(short, long, value_name = "NAME", default_value = "origin")]
    origin: String,
    /// Fetch only the last N commits; implies --single-branch unless --no-single-branch is given
    #[arg(long, value_name = "N", value_parser = above_zero::<NonZeroU32>, allow_negative_numbers = true)]
    depth: Option<NonZeroU32>,
    /// Fetch only one branch, now and later
    #[arg(long, overrides_with = "no_single_branch")]
    single_branch: bool,
    /// Fetch all branches, even with `--depth`
    #[arg(long, overrides_with = "single_branch")]
    no_single_branch: bool,
    /// Fetch no tags, now and later
    #[arg(long)]
    no_tags: bool,
    /// Do not generate derived files
    #[arg(long)]
    no_derive: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc clone";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let one = self.single_branch || (self.depth.is_some() && !self.no_single_branch);
        let options = Options {
            url: self.url.clone(),
            folder: self.folder.clone(),
            branch: self.branch.clone(),
            remote: self.origin.clone(),
            depth: self.depth.map_or(Depth::Unchanged, Depth::Of),
            branches: if one { Branches::One } else { Branches::All },
            tags: if self.no_tags { Tags::None } else { Tags::Configured },
            derive: if self.no_derive { Derive::Later } else { Derive::Now },
        };
        let outcome = clone::run(cx, &options)?;
        let warnings = warnings::written(&outcome.written);
        let rewritten = &outcome.written.rewritten;
        let next = rewritten.outdated.as_ref().map(|_| "brv derive");
        let failure = rewritten.interrupted.then(|| {
            Failure::new(FailureKind::Interrupted, "interrupted before all derived files were written")
                .hinting(Some("the clone is complete; `brv derive` writes the rest"))
        });
        Ok(Answer::new(outcome).warning(warnings).next(next).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        screen.plain("Cloned into ").text(Style::Strong, &outcome.place);
        screen.plain(", on branch ").word(Style::Name, &outcome.branch);
        match outcome.commit {
            Some(_) => screen.line(format!(": {}.", words::many(outcome.files, "file", "files"))),
            None => screen.line(". The remote has no commits yet."),
        };
    }
}
