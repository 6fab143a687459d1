//! Signals: what a search of many entries would note, and what is shown of them.

use crate::lab::Lab;
use crate::pair::Pair;
use crate::table::{Sample, Side};
use brv_base::path::TreePath;
use brv_engine::Actor;
use brv_engine::open::signals::{self, ServedAnswer};
use std::time::Instant;

const FIRST: &str = "10,000 hits on entries without signals, in this process";
const AGAIN: &str = "10,000 hits on entries that have signals, in this process";
const TOP: &str = "signals --top 10";
const ALL: &str = "signals of everything";
const UNUSED: &str = "signals --top 10, none used so far";

/// When the benchmark takes place; sessions make the rounds differ.
const NOW: i64 = 1_700_000_000;

pub fn run(lab: &Lab) {
    if !lab.wants(&[FIRST, AGAIN, TOP, ALL, UNUSED]) {
        return;
    }
    let pair = Pair::committed(lab, "signals");
    let folder = pair.folder(Side::Brv);
    let show = |words: &[&str]| lab.time(&mut lab.brv(folder, words));
    show(&["signals", "--top", "1"]);
    lab.solo(UNUSED, lab.options.rounds * 4, || show(&["signals", "--top", "10"]));
    let opened = crate::env::context_of(folder, &lab.env.environment()).open().unwrap();
    let entries = lab.files().iter().filter_map(|file| TreePath::parse(file.path.as_bytes()).ok());
    let entries: Vec<TreePath> =
        entries.filter(|path| path.kind() == brv_base::path::PathKind::Entry).take(10_000).collect();
    let answer = ServedAnswer { hits: entries, ..ServedAnswer::default() };
    let mut session = 0;
    let mut hit = || {
        session += 1;
        let begun = Instant::now();
        let actor = Actor { session: Some(session.to_string()), ..Actor::default() };
        let trouble = signals::note_served(&opened, &actor, &answer, NOW);
        assert!(trouble.is_none(), "{trouble:?}");
        Sample::wall(begun.elapsed().as_secs_f64())
    };
    lab.solo(FIRST, 1, &mut hit);
    lab.solo(AGAIN, lab.options.rounds * 4, &mut hit);
    lab.solo(TOP, lab.options.rounds * 4, || show(&["signals", "--top", "10"]));
    lab.solo(ALL, lab.options.rounds, || show(&["signals", "--json"]));
}
