//! `brv jobs`: a file for each command of the family, and the row of a job, which `brv hooks log` has, too.

pub mod cancel;
pub mod list;
pub mod wait;

use super::ui::{Screen, Style, keep_start};
use brv_commands::jobs::{Job, JobCount, JobFilter, MOST, Verdict};
use clap::Args;

/// How many columns of the subject of a commit are on its line, and of what it was filed as.
const SHOWN: usize = 80;

/// Which jobs are listed.
#[derive(Debug, Args)]
pub(super) struct JobFilterFlags {
    /// Show at most N jobs
    #[arg(short = 'n', long = "max-count", value_name = "N", default_value_t = MOST)]
    limit: usize,
    /// Show only jobs that ended so: curated, declined, over_quota, failed, replaced, dreamed, skipped, cancelled
    #[arg(long, value_name = "OUTCOME", value_parser = outcome)]
    outcome: Vec<Verdict>,
}

impl JobFilterFlags {
    pub(super) fn filter(&self) -> JobFilter {
        JobFilter { most: self.limit, outcomes: self.outcome.clone() }
    }
}

fn outcome(text: &str) -> Result<Verdict, String> {
    Verdict::ALL.into_iter().find(|one| one.word() == text).ok_or_else(|| {
        let words: Vec<&str> = Verdict::ALL.iter().map(|one| one.word()).collect();
        format!("must be one of {}", words.join(", "))
    })
}

/// How many jobs ended in which way: `  12 declined   merge`.
pub(super) fn counts(screen: &mut Screen, counts: &[JobCount]) {
    if counts.iter().map(|one| one.count).sum::<usize>() < 2 {
        return;
    }
    screen.end();
    for one in counts {
        screen.plain(format!("{:>5} ", one.count)).plain(format!("{:<10} ", one.outcome.word()));
        screen.word(Style::Dim, &one.reason).end();
    }
}

/// A job on one line: `job-7  1a2b3c4d5  curated   tokens live shorter  code/auth.md  rule: A token must expire. (1 more)`.
pub(super) fn row(screen: &mut Screen, job: &Job) {
    let commit = job.commit.as_deref().map_or("         ", |id| &id[..id.len().min(9)]);
    screen.text(Style::Dim, format!("{:<8} ", job.id)).text(Style::Notable, commit).plain("  ");
    let (style, word) = match job.outcome {
        None => (Style::Notable, job.state),
        Some(one @ (Verdict::Curated | Verdict::Dreamed)) => (Style::Good, one.word()),
        Some(Verdict::Failed) => (Style::Bad, Verdict::Failed.word()),
        Some(one) => (Style::Dim, one.word()),
    };
    screen.text(style, format!("{word:<10} "));
    if let Some(subject) = &job.subject {
        screen.word(Style::Plain, keep_start(subject, SHOWN)).plain("  ");
    }
    match (job.outcome, &job.reason) {
        (Some(Verdict::Curated), _) => filed(screen, job),
        (Some(Verdict::Replaced), Some(new)) => {
            screen.plain("by ").text(Style::Notable, &new[..new.len().min(9)])
        }
        (_, reason) => screen.word(Style::Plain, reason.as_deref().unwrap_or_default()),
    };
    screen.end();
}

/// The entries that a job wrote, and the first of what it filed there.
fn filed<'s>(screen: &'s mut Screen, job: &Job) -> &'s mut Screen {
    screen.word(Style::Name, job.entries.join(", "));
    let Some((first, more)) = job.filed.items.split_first() else { return screen };
    let prefix = format!("{}: ", first.kind);
    let text = first.text.strip_prefix(&prefix).unwrap_or(&first.text);
    screen.plain("  ").text(Style::Dim, &prefix).word(Style::Plain, keep_start(text, SHOWN));
    if !more.is_empty() {
        screen.text(Style::Dim, format!(" ({} more)", more.len()));
    }
    match job.reason.as_deref().and_then(|reason| reason.split_once("; ")) {
        Some((_, beside)) => screen.plain("  ").word(Style::Notable, beside),
        None => screen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ui::Memory;
    use brv_engine::jobs::Filed;

    #[test]
    fn a_long_subject_is_cut_at_a_word() {
        let job = Job {
            id: "job-7".to_owned(),
            kind: "commit".to_owned(),
            commit: Some("1a2b3c4d5e6f".to_owned()),
            subject: Some("subject ".repeat(40)),
            branch: None,
            event: "post-commit".to_owned(),
            state: "done",
            outcome: Some(Verdict::Declined),
            reason: Some("no text".to_owned()),
            operation: None,
            entries: Vec::new(),
            filed: Filed::default(),
            ms: None,
        };
        let memory = Memory::default();
        row(&mut memory.screen(), &job);
        let shown = String::from_utf8(memory.take()).unwrap();
        let expected =
            format!("job-7    1a2b3c4d5  declined   {}\u{2026}  no text\n", "subject ".repeat(10).trim_end());
        assert_eq!(shown, expected);
    }
}
