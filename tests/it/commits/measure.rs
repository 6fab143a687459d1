//! What is taken, measured on commits of other projects, which are not part of this one: the folder in `BRV_COMMITS`
//! has them, as `commits-NAME.jsonl`.
//!
//! `labels.jsonl` has what two readers said of each commit, independently and before the rules were tuned: whether a teammate
//! would want to find next month what its message states. One that only one of them wants is a border.

use super::Code;
use crate::env::Env;
use crate::init::json;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

const PROJECTS: [&str; 3] = ["ripgrep", "tokio", "bat"];

/// How much of what is taken is worth it or a border, and how much of what is worth it is taken, at least.
const PRECISION: f64 = 0.93;
const RECALL: f64 = 0.75;

/// What was counted.
#[derive(Default)]
struct Counts {
    taken: usize,
    worth_or_border: usize,
    worth: usize,
    worth_taken: usize,
}

#[test]
fn what_is_taken_is_worth_it_and_most_that_is_worth_it_is_taken() {
    let Some(data) = std::env::var_os("BRV_COMMITS") else {
        eprintln!("skipped: BRV_COMMITS names no folder with histories of commits");
        return;
    };
    let mut all = Counts::default();
    for project in PROJECTS {
        let counts = measure(Path::new(&data), project);
        let Counts { taken, worth_or_border, worth, worth_taken } = counts;
        println!(
            "{project}: worth or border {worth_or_border} of {taken} taken, recall {worth_taken} of {worth}"
        );
        all.taken += taken;
        all.worth_or_border += worth_or_border;
        all.worth += worth;
        all.worth_taken += worth_taken;
    }
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    let (precision, recall) = (share(all.worth_or_border, all.taken), share(all.worth_taken, all.worth));
    println!("worth or border {precision:.3} of {}, recall {recall:.3} of {}", all.taken, all.worth);
    assert!(precision >= PRECISION && recall >= RECALL, "{precision} {recall}");
}

/// All labelled commits of a project are taken in at once, with nothing written.
fn measure(data: &Path, project: &str) -> Counts {
    let text = std::fs::read_to_string(data.join(format!("commits-{project}.jsonl"))).unwrap();
    let commits: Vec<Value> = text.lines().map(json).collect();
    let labels: Vec<Value> =
        include_str!("labels.jsonl").lines().map(json).filter(|label| label["project"] == project).collect();
    let env = Env::new();
    let code = Code { path: env.path("code"), env };
    code.env.git(code.env.root(), &["init", "-q", "code"]);
    let chosen: Vec<&Value> =
        labels.iter().map(|label| commits.iter().find(|commit| commit["n"] == label["n"]).unwrap()).collect();
    import(&code, &chosen);
    code.run(&["init", "-q"]);
    let root = code.git(&["rev-list", "--max-parents=0", "main"]);
    let taken = code.data(&["curate", "--commit", &format!("{root}..main"), "--dry-run"]);
    let mut jobs = taken["commits"].as_array().unwrap().iter();
    let first = code.data(&["curate", "--commit", &root, "--dry-run"])["commits"][0].take();
    let mut counts = Counts::default();
    for (at, (label, commit)) in labels.iter().zip(&chosen).enumerate() {
        let job = if at == 0 { &first } else { jobs.next().unwrap() };
        if commit["merge"] != true {
            count(&mut counts, job, label);
        }
    }
    assert!(jobs.next().is_none());
    counts
}

fn count(counts: &mut Counts, job: &Value, label: &Value) {
    let readers = label["worth"].as_array().unwrap();
    let is_taken = job["outcome"] == "curated";
    let is_worth = readers.iter().all(|one| one == true);
    counts.taken += usize::from(is_taken);
    counts.worth_or_border += usize::from(is_taken && readers.iter().any(|one| one == true));
    counts.worth += usize::from(is_worth);
    counts.worth_taken += usize::from(is_taken && is_worth);
}

/// Make these commits, with the names of their files.
fn import(code: &Code, commits: &[&Value]) {
    let mut stream = String::new();
    for (number, commit) in (0_i64..).zip(commits) {
        let (subject, body) = (commit["subject"].as_str().unwrap(), commit["body"].as_str().unwrap());
        let message = format!("{subject}\n\n{body}\n");
        let time = 1_700_000_000 + number * 100;
        writeln!(stream, "commit refs/heads/main\ncommitter A <a@example.com> {time} +0000").unwrap();
        writeln!(stream, "data {}\n{message}", message.len()).unwrap();
        for file in commit["files"].as_array().unwrap() {
            let path = file.as_array().unwrap().last().unwrap().as_str().unwrap();
            let text = format!("{number} {path}\n");
            writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len()).unwrap();
        }
    }
    let mut command = code.env.git_command(&code.path);
    let mut child = command.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    code.git(&["reset", "-q", "--hard", "main"]);
}
