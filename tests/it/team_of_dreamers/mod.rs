//! A team that dreams: what somebody stated and nobody took back is there in the end.
//!
//! In each clone a person edits by brv and by hand, commits code, dreams with and without a writer, on a branch too,
//! takes dreams back, reviews, and syncs. `BRV_TEAM_CLONES`, `BRV_TEAM_DAYS` and `BRV_TEAM_SEED` make another team.

mod clones;
mod ledger;
mod people;
mod writer;

use clones::Team;

fn number(name: &str, usual: u64) -> usize {
    let told = std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    usize::try_from(told.unwrap_or(usual)).unwrap()
}

fn team_works(clones: u64, days: u64) {
    let (clones, days) = (number("BRV_TEAM_CLONES", clones), number("BRV_TEAM_DAYS", days));
    let mut team = Team::new(clones, number("BRV_TEAM_SEED", 7) as u64);
    for _ in 0..days {
        team.next_day();
        for at in 0..clones {
            team.sync(at);
            team.merge_dreams(at);
            (0..3).for_each(|_| team.edit(at));
            team.tidy(at);
            team.edit(at);
            team.tidy(at);
            team.sync(at);
        }
    }
    let standing = team.end();
    let (stated, gone) = (team.ledger.stated.len(), team.ledger.gone.len());
    println!("{stated} facts stated, {gone} taken back, {standing} stand in the tree\n{:#?}", team.done);
}

#[test]
fn a_team_that_dreams_loses_no_fact() {
    team_works(3, 5);
}

#[test]
#[ignore = "ten clones and thirty days: run it by name"]
fn a_large_team_that_dreams_for_a_month_loses_no_fact() {
    team_works(10, 30);
}
