//! Make parts of the three bodies equal before the merge, so that nothing else collides with them: the timestamp of a
//! raw concept, the items of Highlights and Rules, and list items moved to another parent.

use super::fields::times;
use super::{highlights, moved};
use crate::doc;
use std::cmp::Ordering;

/// The bodies of base, first and second with these parts settled; `None` if there is nothing to settle.
pub(super) fn alike(bodies: [&str; 3]) -> Option<[String; 3]> {
    let timed = time(bodies);
    let listed = highlights::unified(or(&timed, bodies)).or(timed);
    moved::follow(or(&listed, bodies)).or(listed)
}

fn or<'a>(settled: &'a Option<[String; 3]>, bodies: [&'a str; 3]) -> [&'a str; 3] {
    settled.as_ref().map_or(bodies, |settled| settled.each_ref().map(String::as_str))
}

/// Merge `**Timestamp:**` like the times of the frontmatter: take the changed one, or the later one if both changed.
fn time(bodies: [&str; 3]) -> Option<[String; 3]> {
    let [before, Some(first), Some(second)] = bodies.map(doc::timestamp) else { return None };
    let (one, other) = (&bodies[1][first.clone()], &bodies[2][second.clone()]);
    let wanted = match before.clone().map(|before| &bodies[0][before]) {
        Some(before) if before == one => other,
        Some(before) if before == other => one,
        _ if one == other => one,
        _ if [one, other].iter().any(|time| crate::doc::instant(time).is_none()) => return None,
        _ if times::compare(one, other) == Ordering::Less => other,
        _ => one,
    };
    let places = [before, Some(first), Some(second)];
    let with_time = |at: usize| match &places[at] {
        Some(place) => [&bodies[at][..place.start], wanted, &bodies[at][place.end..]].concat(),
        None => bodies[at].to_owned(),
    };
    Some([0, 1, 2].map(with_time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concept(time: &str) -> String {
        format!("## Raw Concept\n**Task:** x\n**Timestamp:** {time}\n**Author:** me\n")
    }

    #[test]
    fn the_later_time_stands_in_all_versions() {
        let merged = |times: [&str; 3]| {
            let bodies = times.map(concept);
            time(bodies.each_ref().map(String::as_str)).map(|[base, ..]| base)
        };
        assert_eq!(merged(["2026-01-01", "2026-03-01", "2026-02-01"]), Some(concept("2026-03-01")));
        assert_eq!(merged(["2026-01-01", "2026-01-01", "2025-02-01"]), Some(concept("2025-02-01")));
        assert_eq!(merged(["2026-01-01", "soon", "2026-02-01"]), None);
    }
}
