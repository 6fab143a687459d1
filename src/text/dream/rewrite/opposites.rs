//! Words that turn what a statement says if they stand in each other's place.

use brv_base::english::list;

/// Pairs of opposite words.
pub static OPPOSITES: list::Rows<2> = list::Rows::of(include_str!("lists/opposites.txt"));

/// Words that say how far a statement goes. Of one group any two say different things, if all else is equal.
static DEGREES: list::Groups = list::Groups::of(include_str!("lists/degrees.txt"));

/// Whether a sentence with one word, in lower case, says something else than the same one with the other.
pub fn are_opposed(one: &str, other: &str) -> bool {
    let are_in = |group: &[&str]| group.contains(&one) && group.contains(&other);
    let is_pair = |pair: [&str; 2]| pair == [one, other] || pair == [other, one];
    one != other && (OPPOSITES.iter().any(is_pair) || DEGREES.iter().any(are_in))
}
