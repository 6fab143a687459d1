//! `brv brain --for PATH…`: prints what is known about files of the code.

use super::show::Answered;
use crate::cli::verb::Answer;
use crate::ops::Context;
use crate::ops::brain::for_files;
use crate::say::Failure;
use std::path::PathBuf;

/// Answer about files.
pub(super) fn run<'a>(
    cx: &'a Context<'_>,
    files: &[PathBuf],
    session: Option<&str>,
) -> Result<Answer<'a, Answered>, Failure> {
    match for_files::run(cx, files, session)? {}
}
