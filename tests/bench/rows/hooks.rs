//! What git's hooks cost: a commit of the code with the hook beside one without, and the hook alone.

use crate::lab::{Lab, Pace};
use crate::pair::Pair;
use crate::table::Side;

const COMMIT: &str = "git commit in the code with the hook, beside git commit without";
const HOOK: &str = "hooks run post-commit";
const SLOWEST: &str = "the slowest 5 % of them";
const TAKEN: &str = "a commit that states a fact, until the worker is done";

/// How often the hook is run.
const RUNS: usize = 200;

pub fn run(lab: &Lab) {
    if !lab.wants(&[COMMIT, HOOK, SLOWEST, TAKEN]) {
        return;
    }
    let pair = Pair::committed(lab, "hooks");
    let code = pair.folder(Side::Brv).to_path_buf();
    lab.run(lab.brv(&code, &["derive"]));
    lab.run(lab.brv(&code, &["search", "anything"]));
    lab.run(lab.git(&code, &["init", "-q"]));
    lab.run(lab.brv(&code, &["hooks", "install"]));
    let quiet = ["-c", "core.hooksPath=/none", "commit", "-q", "--allow-empty", "-m"];
    lab.run(lab.git(&code, &[&quiet[..], &["start"]].concat()));
    let idle = || lab.run(lab.brv(&code, &["hooks", "run", "worker"]));
    lab.duel([COMMIT], Pace::Quick, |side, round| {
        idle();
        let words = format!("step {round}");
        [lab.time(&mut match side {
            Side::Brv => lab.git(&code, &["commit", "-q", "--allow-empty", "-m", &words]),
            Side::Git => lab.git(&code, &[&quiet[..], &[&words]].concat()),
        })]
    });
    let mut times = Vec::new();
    let mut round = 0;
    lab.solo(HOOK, RUNS, || {
        round += 1;
        lab.run(lab.git(&code, &[&quiet[..], &[&format!("hook {round}")]].concat()));
        idle();
        let sample = lab.time(&mut lab.brv(&code, &["hooks", "run", "post-commit"]));
        times.push(sample);
        sample
    });
    times.sort_by(|one: &crate::table::Sample, other| one.seconds().total_cmp(&other.seconds()));
    if let Some(slowest) = times.get(times.len() * 95 / 100) {
        lab.solo(SLOWEST, 1, || *slowest);
    }
    lab.solo(TAKEN, lab.options.rounds, || {
        round += 1;
        let words = format!("fact {round}\n\nFact: bench {round}: holds {round}");
        lab.run(lab.git(&code, &[&quiet[..], &[&words]].concat()));
        lab.time(&mut lab.brv(&code, &["hooks", "run", "worker"]))
    });
}
