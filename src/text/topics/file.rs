//! A file as a commit's topic is found by it: its role, the stems of its parts, and its area.

use super::parts::{domain_stem, stem};
use super::role::Role;
use crate::judge::lists::housekeeping;

#[derive(Debug, Clone)]
pub(super) struct TopicFile {
    pub(super) role: Role,
    /// The stems of its parts; the first is compared as a domain is.
    pub(super) chain: Vec<String>,
    /// The stem of its area.
    pub(super) area: String,
}

impl TopicFile {
    /// A file with its parts as they are written, and its area.
    pub(super) fn of(path: &str, parts: &[String], area: String) -> Self {
        let stem_at = |(at, part): (usize, &String)| match at {
            0 => domain_stem(part).into_owned(),
            _ => stem(part).into_owned(),
        };
        Self { role: Role::of(path), chain: parts.iter().enumerate().map(stem_at).collect(), area }
    }

    /// The role by which it weighs: the code of housekeeping (`ci/run.sh`) weighs no more than prose does beside the code of
    /// the project.
    pub(super) fn weighed_role(&self) -> Role {
        match self.role {
            Role::Code if self.chain.first().is_some_and(|first| housekeeping(first).is_some()) => {
                Role::Prose
            }
            role => role,
        }
    }
}
