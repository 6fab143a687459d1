//! What there is to decide, for a person: the candidates of a plan, and the weak entries that a dream leaves alone.

use crate::cli::ui::{Screen, Style};
use crate::say::words::many;
use brv_commands::dream::{Cluster, Pattern, Plan, Signal, Weak};

/// How many candidates a dream lists that leaves them alone.
const MOST: usize = 10;

/// How much of a preview stands on a line, in characters.
const PREVIEW: usize = 80;

/// The candidates of a plan.
pub fn plan(plan: &Plan, screen: &mut Screen) {
    screen.plain("Plan ").word(Style::Name, &plan.id).end();
    if plan.consolidate.is_empty() && plan.synthesize.is_empty() && plan.prune.is_empty() {
        screen.line("Nothing to decide");
    }
    heading("To consolidate", plan.consolidate.len(), screen);
    plan.consolidate.iter().for_each(|one| cluster(one, screen));
    heading("To synthesize", plan.synthesize.len(), screen);
    plan.synthesize.iter().for_each(|one| pattern(one, screen));
    heading("To prune, least used first", plan.prune.len(), screen);
    plan.prune.iter().for_each(|one| weak(one, screen));
    if plan.remaining > 0 {
        let left = many(plan.remaining, "changed file is", "changed files are");
        screen.line(format!("{left} left for the next plan"));
    }
}

/// The weak entries that a dream without a writer leaves alone.
pub fn candidates(all: &[Weak], screen: &mut Screen) {
    heading("Left for a person or a writer, least used first", all.len(), screen);
    all.iter().take(MOST).for_each(|one| weak(one, screen));
    if all.len() > MOST {
        screen.text(Style::Dim, format!(" and {} more", all.len() - MOST)).end();
    }
}

fn heading(text: &str, count: usize, screen: &mut Screen) {
    if count > 0 {
        screen.line(format!("{text} ({count}):"));
    }
}

fn cluster(one: &Cluster, screen: &mut Screen) {
    let mut evidence = vec![format!("{:.0} % of their text in common", one.evidence.overlap * 100.0)];
    if !one.evidence.shared_subjects.is_empty() {
        evidence.push(format!("facts about {}", one.evidence.shared_subjects.join(", ")));
    }
    evidence.extend(one.hint.as_ref().map(|hint| format!("suggested: {hint}")));
    screen.plain(" ").text(Style::Name, &one.id).plain(" ").word(Style::Plain, evidence.join("; ")).end();
    for file in &one.files {
        screen
            .plain("   ")
            .word(Style::Name, file.path.as_str())
            .plain(": ")
            .word(Style::Plain, &file.title)
            .end();
    }
}

fn pattern(one: &Pattern, screen: &mut Screen) {
    screen.plain(" ").text(Style::Name, &one.id).plain(" ").word(Style::Plain, one.domains.join(", ")).end();
    for named in &one.entries {
        screen.plain("   ").word(Style::Name, named.path.as_str()).end();
    }
}

/// ` p1-3f2a91 auth/old.md: superseded; never used here; changed 2026-01-02; 2 links`
fn weak(one: &Weak, screen: &mut Screen) {
    let why = match one.signal {
        Signal::Importance => format!("importance {:.0}", one.importance),
        Signal::Staleness => {
            format!("unchanged for {}", many(usize::try_from(one.days).unwrap_or_default(), "day", "days"))
        }
        Signal::Unmerged => "its commits are on no branch".to_owned(),
        Signal::Superseded => "superseded".to_owned(),
    };
    let day = |time: &String| time.chars().take(10).collect::<String>();
    let used = one.used_at.as_ref().map_or("never used here".to_owned(), |at| format!("used {}", day(at)));
    let changed = one.changed_at.as_ref().map(|at| format!("changed {}", day(at)));
    let links = many(one.links, "link", "links");
    let told: Vec<String> = [Some(why), Some(used), changed, Some(links)].into_iter().flatten().collect();
    screen.plain(" ").text(Style::Name, &one.id).plain(" ").word(Style::Name, one.path.as_str());
    screen.plain(": ").word(Style::Plain, told.join("; ")).end();
    let line = one.preview.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(PREVIEW).collect();
    if !cut.is_empty() {
        screen.plain("   ").text(Style::Dim, cut).end();
    }
}
