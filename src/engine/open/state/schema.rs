//! The tables of the state, and the steps from older versions of them. `user_version` names the version of a file.

use rusqlite::{Connection, Transaction};

/// The steps to the current tables; a file of version N has seen the first N. Steps are added, never changed.
const STEPS: [&str; 10] =
    [SIGNALS, JOBS, REVIEW, DREAMS, HOOK_CALLS, JOB_INPUTS, PROJECT, FILED, COMMENTS, SERVED];

pub(super) const VERSION: i64 = STEPS.len() as i64;

/// - `baseline`: at most one row: when signals began, and the git tree that was last looked at.
/// - `signals`: entries with more to know than that they existed when signals began. `importance` and
///   `maturity` are those `at` a moment, `gone` is since when the entry is not in the tree, `blob` what it was then.
/// - `sessions`, `session_hits`: which session was given which entry. `last` is when the session was last seen.
const SIGNALS: &str = "
    CREATE TABLE baseline (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        began INTEGER NOT NULL,
        tree TEXT NOT NULL
    );
    CREATE TABLE signals (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        importance REAL NOT NULL,
        maturity INTEGER NOT NULL,
        at INTEGER NOT NULL,
        hits INTEGER NOT NULL,
        updates INTEGER NOT NULL,
        first_seen INTEGER NOT NULL,
        gone INTEGER,
        blob TEXT
    );
    CREATE INDEX signals_gone ON signals (blob) WHERE gone IS NOT NULL;
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        last INTEGER NOT NULL
    );
    CREATE TABLE session_hits (
        session INTEGER NOT NULL,
        entry INTEGER NOT NULL,
        PRIMARY KEY (session, entry)
    ) WITHOUT ROWID;
";

/// - `jobs`: the queue, and what became of each job. Texts are those of the JSON; `entries` has one path a line.
/// - `rewrites`: commits of the host, and the commits that they are now.
/// - `branch_changes`: by commit of the host, the patch id of the whole change of its branch.
/// - `logs`: how far each log of the host was read.
/// - `worker`: at most one row: the process that works, or worked last, and when it last said so.
const JOBS: &str = "
    CREATE TABLE jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        host_commit TEXT UNIQUE,
        branch TEXT,
        event TEXT NOT NULL,
        actor TEXT,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        queued INTEGER NOT NULL,
        stop TEXT,
        outcome TEXT,
        reason TEXT,
        operation TEXT,
        entries TEXT,
        ms INTEGER,
        ended INTEGER,
        rules INTEGER,
        patch TEXT
    );
    CREATE INDEX jobs_open ON jobs (state) WHERE state <> 'done';
    CREATE INDEX jobs_patch ON jobs (patch) WHERE operation IS NOT NULL;
    CREATE INDEX jobs_ended ON jobs (ended) WHERE state = 'done';
    CREATE TABLE rewrites (
        old TEXT PRIMARY KEY,
        new TEXT NOT NULL,
        at INTEGER NOT NULL
    );
    CREATE INDEX rewrites_new ON rewrites (new);
    CREATE TABLE branch_changes (
        host_commit TEXT NOT NULL,
        patch TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (host_commit, patch)
    );
    CREATE TABLE logs (
        name TEXT PRIMARY KEY,
        offset INTEGER NOT NULL,
        line TEXT NOT NULL
    );
    CREATE TABLE worker (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        pid INTEGER NOT NULL,
        beat INTEGER NOT NULL
    );
";

/// - `decisions`: what was decided about changes that waited for review. `approved` is 0 of a rejection, 1 of an approval, 2
///   where one was taken back; `change` names what a change does to its path, `operation` is the one that carried a
///   rejection out.
const REVIEW: &str = "
    CREATE TABLE decisions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        row TEXT NOT NULL,
        change TEXT NOT NULL,
        path TEXT NOT NULL,
        approved INTEGER NOT NULL,
        actor TEXT NOT NULL,
        at INTEGER NOT NULL,
        comment TEXT,
        operation TEXT
    );
";

/// - `jobs`: also the name of a dream, and the session that asks for it.
/// - `dream_plans`: not used any more: a plan is computed again from its name.
/// - `dream_open`: changed files that no plan has shown yet, and those that were shown and not decided about.
/// - `dream_decided`: pairs of versions of files that a dream decided about. If both are there again, the decision was
///   taken back, or changed no file.
/// - `dream_kept`: entries that a dream kept, with their version and importance then.
const DREAMS: &str = "
    ALTER TABLE jobs ADD COLUMN dream TEXT;
    ALTER TABLE jobs ADD COLUMN session TEXT;
    CREATE UNIQUE INDEX jobs_dream ON jobs (dream) WHERE dream IS NOT NULL;
    CREATE TABLE dream_plans (
        id TEXT NOT NULL UNIQUE,
        plan TEXT NOT NULL,
        at INTEGER NOT NULL
    );
    CREATE TABLE dream_open (
        path TEXT PRIMARY KEY,
        shown INTEGER NOT NULL
    );
    CREATE TABLE dream_decided (
        one TEXT NOT NULL,
        other TEXT NOT NULL,
        dream TEXT NOT NULL,
        PRIMARY KEY (one, other)
    ) WITHOUT ROWID;
    CREATE TABLE dream_kept (
        path TEXT PRIMARY KEY,
        blob TEXT NOT NULL,
        importance REAL NOT NULL,
        dream TEXT NOT NULL
    );
";

/// - `hook_calls`: by agent and event of its host, what the agent got, and when.
const HOOK_CALLS: &str = "
    CREATE TABLE hook_calls (
        agent TEXT NOT NULL,
        event TEXT NOT NULL,
        at INTEGER NOT NULL,
        said TEXT NOT NULL,
        PRIMARY KEY (agent, event)
    ) WITHOUT ROWID;
    CREATE INDEX hook_calls_at ON hook_calls (at);
";

/// - `job_inputs`: what jobs that are not done work with.
const JOB_INPUTS: &str = "
    CREATE TABLE job_inputs (
        job INTEGER PRIMARY KEY,
        input TEXT NOT NULL
    );
";

/// - `project`: the id of the project that the state is of.
/// - `unreviewed`: versions of files that instruct and that no person wrote, with the version before, if there was one.
/// - `dream_merges`: merges that dreams of this clone suggested to the next dream.
const PROJECT: &str = "
    CREATE TABLE project (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        id TEXT NOT NULL
    );
    CREATE TABLE dream_merges (
        source TEXT NOT NULL,
        target TEXT NOT NULL,
        dream TEXT NOT NULL,
        PRIMARY KEY (source, target, dream)
    ) WITHOUT ROWID;
    CREATE TABLE unreviewed (
        blob TEXT PRIMARY KEY,
        before TEXT
    ) WITHOUT ROWID;
";

/// - `jobs.filed`: what a commit was filed as, as JSON.
const FILED: &str = "
    ALTER TABLE jobs ADD COLUMN filed TEXT;
";

/// - `comments`: what was said about entries and changes, and the answers. `does` names what the change does to its path, and
///   `decided` is how many decisions there were before.
const COMMENTS: &str = "
    CREATE TABLE comments (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        change TEXT,
        does TEXT,
        path TEXT NOT NULL,
        blob TEXT NOT NULL,
        fact TEXT,
        line INTEGER,
        quote TEXT NOT NULL,
        is_before INTEGER NOT NULL,
        text TEXT NOT NULL,
        actor TEXT NOT NULL,
        at INTEGER NOT NULL,
        decided INTEGER NOT NULL,
        answer TEXT,
        answer_actor TEXT,
        answer_at INTEGER
    );
";

/// - `served_calls`: calls of agents that were given entries, in their order. `before` is how many entries all calls before
///   were given, `entries` how many this one.
/// - `served`: these entries, in the order of the answer. `blob` is the content that was given.
const SERVED: &str = "
    CREATE TABLE served_calls (
        id INTEGER PRIMARY KEY,
        before INTEGER NOT NULL,
        entries INTEGER NOT NULL,
        time INTEGER NOT NULL,
        session TEXT,
        actor TEXT,
        door TEXT NOT NULL,
        command TEXT NOT NULL,
        asked TEXT
    );
    CREATE TABLE served (
        call INTEGER NOT NULL,
        place INTEGER NOT NULL,
        path TEXT NOT NULL,
        blob TEXT NOT NULL,
        why TEXT NOT NULL,
        PRIMARY KEY (call, place)
    ) WITHOUT ROWID;
    CREATE INDEX served_path ON served (path);
";

/// The version of a file; 0 for an empty one.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Take the steps that the file has not seen. Another process may have taken them meanwhile.
pub(super) fn migrate(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let seen = usize::try_from(version(transaction)?).unwrap_or_default();
    for step in STEPS.iter().skip(seen) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION.max(seen as i64))
}
