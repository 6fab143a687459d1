//! stub
use super::*;
use crate::doc::Document;
pub(super) struct Head {
    pub bytes: Vec<u8>,
    pub records: Vec<Record>,
    pub conflicts: Vec<Conflict>,
}
pub(super) struct Sides<'a> {
    pub base: Option<&'a Document>,
    pub ours: &'a Document,
    pub theirs: &'a Document,
}
pub(super) fn merge(sides: &Sides<'_>, _rules: &Rules<'_>, _disputed: Option<&[String]>) -> Head {
    let head = |d: &Document| d.as_bytes()[..d.body_start()].to_vec();
    let (b, o, t) = (sides.base.map(head), head(sides.ours), head(sides.theirs));
    Head { bytes: if Some(&o) == b.as_ref() { t } else { o }, records: vec![], conflicts: vec![] }
}
