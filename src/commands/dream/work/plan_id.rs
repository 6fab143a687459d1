//! The name of a plan: all that is needed to compute it again when the decisions about it arrive. Nothing is kept.

use brv_engine::journal::DreamId;
use brv_git::CommitId;
use std::fmt::{self, Display};

/// How many hex digits of the base the name has.
const DIGITS: usize = 12;

/// `drm-1764400000000-50-3f2a91c0d1e2`: the name of the dream, the limit of its candidates, and the commit that it was made
/// at (`0` where there is none).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlanId {
    pub dream: DreamId,
    pub limit: usize,
    pub base: Option<CommitId>,
}

impl Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self.base.map_or_else(|| "0".to_owned(), |base| base.to_string());
        write!(f, "{}-{}-{}", self.dream, self.limit, &base[..base.len().min(DIGITS)])
    }
}

/// What the name of a plan says, with the base as it is written.
pub(super) fn parse(text: &str) -> Option<(DreamId, usize, &str)> {
    let (rest, base) = text.rsplit_once('-')?;
    let (dream, limit) = rest.rsplit_once('-')?;
    let is_base = base == "0" || base.len() == DIGITS && base.bytes().all(|byte| byte.is_ascii_hexdigit());
    let limit = limit.parse().ok().filter(|limit| (1..=super::MOST_CANDIDATES).contains(limit))?;
    Some((DreamId::parse(dream)?, limit, base)).filter(|_| is_base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_it_was_made_of() {
        let base = CommitId::from_hex("3f2a91c0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f60").unwrap();
        let id = PlanId { dream: DreamId::at(1_764_400_000_000), limit: 50, base: Some(base) };
        assert_eq!(id.to_string(), "drm-1764400000000-50-3f2a91c0d1e2");
        assert_eq!(parse(&id.to_string()), Some((id.dream, 50, "3f2a91c0d1e2")));
        let none = PlanId { base: None, ..id };
        assert_eq!(parse(&none.to_string()), Some((id.dream, 50, "0")));
        for text in [
            "",
            "drm-1",
            "drm-1-50",
            "drm-1-0-0",
            "drm-1-501-0",
            "drm-1-50-3f2a",
            "x-1-50-0",
            "drm-1-50-zzzzzzzzzzzz",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
