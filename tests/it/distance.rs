//! Ahead and behind are exact on random histories, whatever the commit times, with and without a commit-graph file.

use crate::env::Env;
use brv_git as git;
use brv_git::{CommitId, Scope, history};
use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

const COMMITS: usize = 3_000;

/// A pseudo-random choice that is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).unwrap()
    }
}

/// Several branches that part and merge; the parents of each commit, by number.
fn history(dice: &mut Dice) -> Vec<Vec<usize>> {
    let mut lines = vec![0];
    let mut parents = vec![Vec::new()];
    for number in 1..COMMITS {
        let at = dice.roll(lines.len());
        let mut mine = vec![lines[at]];
        match dice.roll(12) {
            0 if lines.len() < 6 => lines.push(number),
            1 | 2 if lines.len() > 1 => mine.push(lines[(at + 1) % lines.len()]),
            // a branch that begins far back, or at a new root
            3 if dice.roll(20) == 0 => mine = vec![dice.roll(number)],
            4 if dice.roll(200) == 0 => mine.clear(),
            _ => {}
        }
        lines[at] = number;
        parents.push(mine);
    }
    parents
}

/// Create the history, with `refs/heads/c<number>` at each commit; `clock` returns the time of each.
fn import(env: &Env, repository: &Path, parents: &[Vec<usize>], clock: &mut dyn FnMut(i64) -> i64) {
    let mut command = env.git_command(repository);
    let mut child =
        command.args(["fast-import", "--quiet", "--force"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut out = std::io::BufWriter::new(child.stdin.take().unwrap());
    for (number, parents) in parents.iter().enumerate() {
        let time = 1_700_000_000 + clock(60 * i64::try_from(number).unwrap());
        let from = parents.iter().enumerate().map(|(at, parent)| match at {
            0 => format!("from :{}\n", parent + 1),
            _ => format!("merge :{}\n", parent + 1),
        });
        let from: String = from.collect();
        let mark = number + 1;
        write!(out, "reset refs/heads/c{number}\n\ncommit refs/heads/c{number}\nmark :{mark}\n").unwrap();
        let message = number.to_string();
        write!(out, "committer A <a@b> {time} +0000\ndata {}\n{message}\n{from}\n", message.len()).unwrap();
    }
    out.flush().unwrap();
    drop(out);
    assert!(child.wait().unwrap().success());
}

fn ancestors(parents: &[Vec<usize>], of: usize) -> HashSet<usize> {
    let (mut seen, mut waiting) = (HashSet::from([of]), vec![of]);
    while let Some(at) = waiting.pop() {
        waiting.extend(parents[at].iter().filter(|parent| seen.insert(**parent)));
    }
    seen
}

fn check(scope: &Scope, ids: &[CommitId], parents: &[Vec<usize>], dice: &mut Dice, what: &str) {
    for round in 0..60 {
        let ours = dice.roll(COMMITS);
        let theirs = match round % 3 {
            0 => dice.roll(COMMITS),
            _ => (ours + dice.roll(20)).min(COMMITS - 1),
        };
        let (of_ours, of_theirs) = (ancestors(parents, ours), ancestors(parents, theirs));
        let found = history::ahead_behind(scope, ids[ours], ids[theirs]).unwrap();
        assert_eq!(
            (found.ahead, found.behind),
            (of_ours.difference(&of_theirs).count(), of_theirs.difference(&of_ours).count()),
            "c{ours}...c{theirs} {what}"
        );
    }
}

fn on_histories(what: &str, clock: fn(&mut Dice, i64) -> i64) {
    let env = Env::new();
    let repository = env.path("repository");
    env.git(env.root(), &["init", "-q", "repository"]);
    let mut dice = Dice(what.len() as u64);
    let parents = history(&mut dice);
    let mut skew = Dice(3);
    import(&env, &repository, &parents, &mut |time| clock(&mut skew, time));
    let names: Vec<String> = (0..COMMITS).map(|number| format!("c{number}")).collect();
    let mut revisions = vec!["rev-parse"];
    revisions.extend(names.iter().map(String::as_str));
    let listed = env.git(&repository, &revisions);
    let ids: Vec<CommitId> = listed.lines().map(|id| CommitId::from_hex(id).unwrap()).collect();
    check(&git::open(&repository, "", crate::env::environment()).unwrap(), &ids, &parents, &mut dice, what);
    // half of the history in the file, then all of it
    let middle = format!("{}\n", listed.lines().nth(COMMITS / 2).unwrap());
    let mut command = env.git_command(&repository);
    let mut child =
        command.args(["commit-graph", "write", "--stdin-commits"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(middle.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    check(
        &git::open(&repository, "", crate::env::environment()).unwrap(),
        &ids,
        &parents,
        &mut dice,
        &format!("{what}, half told"),
    );
    env.git(&repository, &["commit-graph", "write", "--reachable"]);
    check(
        &git::open(&repository, "", crate::env::environment()).unwrap(),
        &ids,
        &parents,
        &mut dice,
        &format!("{what}, told"),
    );
    let said = env.git(&repository, &["rev-list", "--left-right", "--count", "c2990...c2700"]);
    let found = history::ahead_behind(
        &git::open(&repository, "", crate::env::environment()).unwrap(),
        ids[2990],
        ids[2700],
    )
    .unwrap();
    assert_eq!(said, format!("{}\t{}", found.ahead, found.behind), "as git counts");
}

#[test]
fn ahead_and_behind_are_exact_where_clocks_are_right() {
    on_histories("right", |_, time| time);
}

#[test]
fn ahead_and_behind_are_exact_where_all_is_of_one_second() {
    // added by a tool without commit times
    on_histories("one second", |_, _| 0);
}

#[test]
fn ahead_and_behind_are_exact_where_clocks_are_wrong_by_minutes() {
    on_histories("wrong", |dice, time| match dice.roll(30) {
        0 => time + 60 * (i64::try_from(dice.roll(40)).unwrap() - 20),
        _ => time,
    });
}

#[test]
fn a_replaced_commit_and_one_where_the_history_ends_count_as_in_git() {
    let env = Env::new();
    let repository = env.path("repository");
    env.git(env.root(), &["init", "-q", "repository"]);
    for number in 0..8 {
        env.commit(&repository, &[("a.md", &number.to_string())]);
    }
    env.git(&repository, &["checkout", "-q", "-b", "side", "HEAD~6"]);
    env.commit(&repository, &[("b.md", "b")]);
    env.git(&repository, &["commit-graph", "write", "--reachable"]);
    let same = |what: &str| {
        let scope = git::open(&repository, "", crate::env::environment()).unwrap();
        let id = |name: &str| CommitId::from_hex(&env.git(&repository, &["rev-parse", name])).unwrap();
        let found = history::ahead_behind(&scope, id("main"), id("side")).unwrap();
        let said = env.git(&repository, &["rev-list", "--left-right", "--count", "main...side"]);
        assert_eq!(said, format!("{}\t{}", found.ahead, found.behind), "{what}");
    };
    same("as it is");
    env.git(&repository, &["replace", "--graft", "main~2", "main~5"]);
    same("replaced");
    env.git(&repository, &["replace", "-d", &env.git(&repository, &["rev-parse", "main~2"])]);
    let end = env.git(&repository, &["rev-parse", "main~1"]);
    std::fs::write(repository.join(".git/shallow"), format!("{end}\n")).unwrap();
    same("ended");
}
