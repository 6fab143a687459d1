//! `brv curate --model`: the operations are a model's.

use super::{Answered, Arguments, answer};
use crate::cli::verb::Answer;
use crate::say::Failure;
use brv_commands::curate;
use brv_commands::curate::model::{self, Given, Options};
use brv_engine::Context;

impl Arguments {
    pub(super) fn modelled<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Answered>, Failure> {
        let options = Options {
            given: self.given()?,
            into: self.one.into.clone(),
            reason: self.one.reason.clone(),
            mode: self.mode(),
        };
        if self.detach {
            let (job, warnings) = model::queue(cx, &options)?;
            let next = format!("brv jobs wait {job}");
            let queued = answer(cx, curate::Outcome { job: Some(job), ..curate::Outcome::default() });
            return Ok(queued.warning(warnings).next([next]));
        }
        let (outcome, warnings) = model::run(cx, &options)?;
        Ok(answer(cx, outcome).warning(warnings))
    }

    fn given(&self) -> Result<Given, Failure> {
        match (&self.text, &self.folder, &self.one.file[..]) {
            (Some(text), _, _) => Ok(Given::Text(text.clone())),
            (None, Some(folder), _) => Ok(Given::Folder(folder.clone())),
            (None, None, []) => Err(Failure::usage("`--model` needs a text, `--file` or `--folder`")),
            (None, None, files) => Ok(Given::Files(files.to_vec())),
        }
    }
}
