//! The queue of jobs: each is done once, in the order in which it was queued, and stays as a row that says what became of
//! it.
//!
//! A commit of the host has at most one job, whoever queues it and how often.

use super::{Error, State};
use std::collections::HashSet;

use rusqlite::{OptionalExtension as _, Row, Transaction, params};

/// What is to be done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewJob {
    /// `commit`, `dream` or `model`
    pub kind: String,
    /// The commit of the host, of a job that is about one.
    pub commit: Option<String>,
    /// The branch that it was made on.
    pub branch: Option<String>,
    /// The hook or command that queues it.
    pub event: String,
    /// Who made the commit, or asks for the dream, as `BRV_ACTOR` says.
    pub actor: Option<String>,
    /// The name of the dream, of a job that is one.
    pub dream: Option<String>,
    /// The session that asks for the dream, as `BRV_SESSION` says.
    pub session: Option<String>,
    /// What the job works with. It is kept until the job is done.
    pub input: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    Queued,
    /// A worker has begun it; of a worker that died, too.
    Running,
    Done,
}

impl JobState {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
        }
    }

    fn of(word: &str) -> Self {
        match word {
            "queued" => Self::Queued,
            "running" => Self::Running,
            _ => Self::Done,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredJob {
    pub id: i64,
    pub new: NewJob,
    pub state: JobState,
    /// How often a worker began it.
    pub attempts: u64,
    /// When it was queued, in seconds since 1970.
    pub queued: i64,
    /// Why a running job is to end early.
    pub stop: Option<String>,
    /// What became of it; empty until it is done.
    pub end: Ended,
}

/// What became of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// `curated`, `declined`, …
    pub outcome: String,
    pub reason: String,
    pub operation: Option<String>,
    /// The files that it wrote.
    pub entries: Vec<String>,
    pub milliseconds: u64,
    /// When it ended, in seconds since 1970.
    pub at: i64,
    /// The version of the rules by which it was decided.
    pub rules: u32,
    /// The patch id of the commit, where it was needed.
    pub patch: Option<String>,
    /// What a commit was filed as, as JSON.
    pub filed: Option<String>,
}

/// How many jobs are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobCounts {
    pub queued: u64,
    pub running: u64,
    pub failed: u64,
}

const COLUMNS: &str = "id, kind, host_commit, branch, event, actor, state, attempts, queued, stop, outcome, reason, operation, entries, \
     ms, ended, rules, patch, dream, session, filed";

impl State {
    /// Queue jobs, all or none. A commit that has a job gets no other one. Returns the ids of the new ones.
    pub fn enqueue(&mut self, jobs: &[NewJob], now: i64) -> Result<Vec<i64>, Error> {
        self.in_transaction(|change| {
            let mut statement = change.prepare_cached(
                "INSERT OR IGNORE INTO jobs (kind, host_commit, branch, event, actor, state, queued, dream, session)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'queued', ?6, ?7, ?8)",
            )?;
            let mut made = Vec::new();
            for job in jobs {
                let values = params![
                    job.kind, job.commit, job.branch, job.event, job.actor, now, job.dream, job.session
                ];
                if statement.execute(values)? > 0 {
                    let id = change.last_insert_rowid();
                    if let Some(input) = &job.input {
                        change.execute("INSERT INTO job_inputs (job, input) VALUES (?1, ?2)", params![id, input])?;
                    }
                    made.push(id);
                }
            }
            Ok(made)
        })
    }

    /// Begin the first job that is not done. One that is running was left by a worker that died.
    pub fn begin_job(&mut self) -> Result<Option<StoredJob>, Error> {
        self.in_transaction(|change| {
            let sql = format!("SELECT {COLUMNS} FROM jobs WHERE state <> 'done' ORDER BY id LIMIT 1");
            let found = change.prepare_cached(&sql)?.query_row([], job).optional()?;
            let Some(mut found) = found else { return Ok(None) };
            change.execute(
                "UPDATE jobs SET state = 'running', attempts = attempts + 1 WHERE id = ?1",
                [found.id],
            )?;
            found.attempts += 1;
            Ok(Some(found))
        })
    }

    /// Say what became of a job that is not done.
    pub fn end_job(&mut self, id: i64, end: &Ended) -> Result<bool, Error> {
        self.in_transaction(|change| finish(change, id, end, "state <> 'done'"))
    }

    /// Say what became of a job, also of one that is done: a commit that was rewritten.
    pub fn end_job_anew(&mut self, id: i64, end: &Ended) -> Result<bool, Error> {
        self.in_transaction(|change| finish(change, id, end, "1"))
    }

    /// Say what became of a job that no worker has begun.
    pub fn end_queued_job(&mut self, id: i64, end: &Ended) -> Result<bool, Error> {
        self.in_transaction(|change| finish(change, id, end, "state = 'queued'"))
    }

    /// Ask for the end of a running job; its worker, or the next one, says what became of it.
    pub fn stop_job(&mut self, id: i64, why: &str) -> Result<bool, Error> {
        self.in_transaction(|change| {
            let sql = "UPDATE jobs SET stop = ?2 WHERE id = ?1 AND state = 'running' AND stop IS NULL";
            Ok(change.execute(sql, params![id, why])? > 0)
        })
    }

    /// What a job works with, until it is done.
    pub fn input_of(&self, id: i64) -> Result<Option<String>, Error> {
        let read = || -> rusqlite::Result<Option<String>> {
            let sql = "SELECT input FROM job_inputs WHERE job = ?1";
            self.connection.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()
        };
        read().map_err(|error| self.failed(error))
    }

    /// Why a running job is to end early.
    pub fn stop_of(&self, id: i64) -> Result<Option<String>, Error> {
        let read = || -> rusqlite::Result<Option<String>> {
            let mut statement = self.connection.prepare_cached("SELECT stop FROM jobs WHERE id = ?1")?;
            Ok(statement.query_row([id], |row| row.get(0)).optional()?.flatten())
        };
        read().map_err(|error| self.failed(error))
    }

    pub fn job(&self, id: i64) -> Result<Option<StoredJob>, Error> {
        Ok(self.jobs_where("id = ?1", [id])?.pop())
    }

    /// The job of a commit of the host.
    pub fn job_of(&self, commit: &str) -> Result<Option<StoredJob>, Error> {
        Ok(self.jobs_where("host_commit = ?1", [commit])?.pop())
    }

    /// The job of a dream.
    pub fn job_of_dream(&self, dream: &str) -> Result<Option<StoredJob>, Error> {
        Ok(self.jobs_where("dream = ?1", [dream])?.pop())
    }

    /// The jobs that are queued or running, in their order.
    pub fn open_jobs(&self) -> Result<Vec<StoredJob>, Error> {
        self.jobs_where("state <> 'done' ORDER BY id", [])
    }

    /// The jobs that ended, the last one first.
    pub fn ended_jobs(&self, most: usize) -> Result<Vec<StoredJob>, Error> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.jobs_where("state = 'done' ORDER BY ended DESC, id DESC LIMIT ?1", [most])
    }

    pub fn job_counts(&self) -> Result<JobCounts, Error> {
        let count = |sql: &str| -> rusqlite::Result<u64> {
            let count: i64 = self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            Ok(u64::try_from(count).unwrap_or_default())
        };
        let read = || -> rusqlite::Result<JobCounts> {
            Ok(JobCounts {
                queued: count("SELECT count(*) FROM jobs WHERE state = 'queued'")?,
                running: count("SELECT count(*) FROM jobs WHERE state = 'running'")?,
                failed: count("SELECT count(*) FROM jobs WHERE outcome = 'failed'")?,
            })
        };
        read().map_err(|error| self.failed(error))
    }

    /// Say that this process works, now.
    pub fn beat(&mut self, pid: u32, now: i64) -> Result<(), Error> {
        self.in_transaction(|change| {
            let sql = "INSERT OR REPLACE INTO worker (only, pid, beat) VALUES (1, ?1, ?2)";
            change.prepare_cached(sql)?.execute(params![pid, now]).map(drop)
        })
    }

    /// The process that works, or worked last, and when it last said so.
    pub fn worker(&self) -> Result<Option<(u32, i64)>, Error> {
        let read = || -> rusqlite::Result<Option<(u32, i64)>> {
            let mut statement = self.connection.prepare_cached("SELECT pid, beat FROM worker")?;
            statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        };
        read().map_err(|error| self.failed(error))
    }

    /// The jobs of commits with this patch id that an operation stands for.
    pub fn curated_with(&self, patch: &str) -> Result<Vec<StoredJob>, Error> {
        self.jobs_where("patch = ?1 AND operation IS NOT NULL ORDER BY id DESC", [patch])
    }

    /// The jobs of the commits that an operation stands for and that were on a branch with this whole change.
    pub fn curated_on(&self, change: &str) -> Result<Vec<StoredJob>, Error> {
        let on_branch = "host_commit IN (SELECT host_commit FROM branch_changes WHERE patch = ?1)";
        self.jobs_where(&format!("operation IS NOT NULL AND {on_branch} ORDER BY id"), [change])
    }

    /// The commits of the host that an operation stands for.
    pub fn curated_commits(&self) -> Result<HashSet<String>, Error> {
        let read = || -> rusqlite::Result<HashSet<String>> {
            let sql = "SELECT host_commit FROM jobs WHERE operation IS NOT NULL AND host_commit IS NOT NULL";
            self.connection.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// How many jobs that hooks queued ended as `curated` since this time.
    pub fn curated_since(&self, since: i64) -> Result<u64, Error> {
        let read = || -> rusqlite::Result<i64> {
            let sql =
                "SELECT count(*) FROM jobs WHERE outcome = 'curated' AND ended >= ?1 AND event <> 'import'";
            self.connection.prepare_cached(sql)?.query_row([since], |row| row.get(0))
        };
        read().map(|count| u64::try_from(count).unwrap_or_default()).map_err(|error| self.failed(error))
    }

    fn jobs_where(&self, condition: &str, values: impl rusqlite::Params) -> Result<Vec<StoredJob>, Error> {
        let read = || -> rusqlite::Result<Vec<StoredJob>> {
            let sql = format!("SELECT {COLUMNS} FROM jobs WHERE {condition}");
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_map(values, job)?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// Change rows. Other processes wait until this is done; on an error nothing changes.
    pub(super) fn in_transaction<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let path = self.path.clone();
        let failed = |source| Error { path: path.clone(), source };
        let transaction = self.begin()?;
        let result = work(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(result)
    }
}

fn finish(change: &Transaction<'_>, id: i64, end: &Ended, condition: &str) -> rusqlite::Result<bool> {
    let sql = format!(
        "UPDATE jobs SET state = 'done', stop = NULL, outcome = ?2, reason = ?3, operation = ?4, entries = ?5, ms = ?6, \
         ended = ?7, rules = ?8, patch = ?9, filed = ?10 WHERE id = ?1 AND {condition}"
    );
    let entries = end.entries.join("\n");
    let ms = i64::try_from(end.milliseconds).unwrap_or(i64::MAX);
    let Ended { outcome, reason, operation, at, rules, patch, filed, .. } = end;
    let values = params![id, outcome, reason, operation, entries, ms, at, rules, patch, filed];
    let is_done = change.prepare_cached(&sql)?.execute(values)? > 0;
    if is_done {
        change.prepare_cached("DELETE FROM job_inputs WHERE job = ?1")?.execute([id])?;
    }
    Ok(is_done)
}

/// A row with [`COLUMNS`].
fn job(row: &Row<'_>) -> rusqlite::Result<StoredJob> {
    let text = |column| row.get::<_, Option<String>>(column).map(Option::unwrap_or_default);
    let count = |column| {
        row.get::<_, Option<i64>>(column)
            .map(|count| u64::try_from(count.unwrap_or_default()).unwrap_or_default())
    };
    let new = NewJob {
        kind: row.get(1)?,
        commit: row.get(2)?,
        branch: row.get(3)?,
        event: row.get(4)?,
        actor: row.get(5)?,
        dream: row.get(18)?,
        session: row.get(19)?,
        input: None,
    };
    let end = Ended {
        outcome: text(10)?,
        reason: text(11)?,
        operation: row.get(12)?,
        entries: text(13)?.lines().map(str::to_owned).collect(),
        milliseconds: count(14)?,
        at: row.get::<_, Option<i64>>(15)?.unwrap_or_default(),
        rules: u32::try_from(count(16)?).unwrap_or_default(),
        patch: row.get(17)?,
        filed: row.get(20)?,
    };
    Ok(StoredJob {
        id: row.get(0)?,
        new,
        state: JobState::of(&row.get::<_, String>(6)?),
        attempts: count(7)?,
        queued: row.get(8)?,
        stop: row.get(9)?,
        end,
    })
}
