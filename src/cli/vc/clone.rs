//! `brv vc clone`: clones a tree from a remote into a project.

use crate::cli::format::above_zero;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::Style;
use crate::say::{Exit, Failure, failing, warnings, words};
use crate::wire;
use brv_commands::vc::clone::{self, Branches, Depth, Derive, Options, Tags};
use clap::Args;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

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

impl Run for Arguments {
    const NAME: &'static str = "vc clone";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let one = self.single_branch || (self.depth.is_some() && !self.no_single_branch);
        let options = Options {
            url: self.url,
            folder: self.folder,
            branch: self.branch,
            remote: self.origin,
            depth: self.depth.map_or(Depth::Unchanged, Depth::Of),
            branches: if one { Branches::One } else { Branches::All },
            tags: if self.no_tags { Tags::None } else { Tags::Configured },
            derive: if self.no_derive { Derive::Later } else { Derive::Now },
        };
        let data = wire::Clone::from(&clone::run(&session.context(), &options)?);
        let report = Report::new(&data)
            .account()
            .warning(warnings::written(&data.written))
            .next(data.written.rewritten.outdated.as_ref().map(|_| "brv derive"))
            .failing(failing::cloned(&data));
        Ok(session.report(report, |screen| {
            screen
                .plain("Cloned into ")
                .text(Style::Strong, words::place(Path::new(&data.tree), &session.folder));
            screen.plain(", on branch ").word(Style::Name, &data.branch);
            match data.commit {
                Some(_) => screen.line(format!(": {}.", words::many(data.files, "file", "files"))),
                None => screen.line(". The remote has no commits yet."),
            };
        }))
    }
}
