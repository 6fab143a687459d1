//! The keys of trailers that brv reads.

use crate::doc::Category;
use crate::doc::item::Prefix;

/// Keys that state something: the key in lower case, the category unless the value ends with one, and the kind.
const KEYS: [(&str, Category, Option<Prefix>); 11] = [
    ("fact", Category::Project, None),
    ("decision", Category::Project, Some(Prefix::Decision)),
    ("learned", Category::Project, None),
    ("convention", Category::Convention, Some(Prefix::Rule)),
    ("directive", Category::Convention, Some(Prefix::Rule)),
    ("constraint", Category::Environment, Some(Prefix::Limit)),
    ("limit", Category::Environment, Some(Prefix::Limit)),
    ("rejected", Category::Project, Some(Prefix::Rejected)),
    ("ruled-out", Category::Project, Some(Prefix::Rejected)),
    ("warn", Category::Project, Some(Prefix::Warning)),
    ("warning", Category::Project, Some(Prefix::Warning)),
];

/// Keys that say what becomes of statements.
const OTHERS: [&str; 2] = ["brv-skip", "supersedes"];

/// Whether a key is one of brv.
pub(super) fn is_key(key: &str) -> bool {
    KEYS.iter().map(|(key, ..)| key).chain(&OTHERS).any(|own| key.eq_ignore_ascii_case(own))
}

/// The category and the kind of what a key states, if it states something.
pub(super) fn states(key: &str) -> Option<(Category, Option<Prefix>)> {
    let found = KEYS.iter().find(|(own, ..)| key.eq_ignore_ascii_case(own));
    found.map(|(_, category, prefix)| (*category, *prefix))
}
