//! Make one base tree from several merge bases by merging them; a conflict between them takes the version of their own
//! base, so the tree never has conflict markers.

use super::{Options, Removals, Terms, Trees, merge};
use brv_git as git;
use brv_git::{CommitId, Drafts, Scope, TreeId, commit, history};
use brv_text::merge::Undecided;
use std::collections::HashMap;

/// The deepest level of bases of bases; below it, the first base stands for all. git has no such limit, and no known
/// history needs one.
const DEEPEST: usize = 24;

/// The single tree for these merge bases, in memory if it had to be made; the empty tree if there are none.
pub(super) fn tree(drafts: &mut Drafts, bases: &[CommitId]) -> Result<TreeId, git::Error> {
    Folding { drafts, known: HashMap::new() }.tree(bases, 0)
}

/// The label after `|||||||`, in git's words.
pub(super) fn name(bases: &[CommitId]) -> String {
    match bases {
        [] => "empty tree".to_owned(),
        [only] => only.prefix(7),
        _ => "merged common ancestors".to_owned(),
    }
}

pub(super) fn committed(scope: &Scope, id: CommitId) -> Result<i64, git::Error> {
    Ok(commit::read(scope, id)?.committer.seconds)
}

struct Folding<'a> {
    drafts: &'a mut Drafts,
    known: HashMap<Vec<CommitId>, TreeId>,
}

impl Folding<'_> {
    fn tree(&mut self, bases: &[CommitId], depth: usize) -> Result<TreeId, git::Error> {
        // whichever side is ours, the base is the same
        let mut bases = bases.to_vec();
        bases.sort_unstable();
        let Some((first, rest)) = bases.split_first() else { return Ok(TreeId::empty()) };
        if let Some(tree) = self.known.get(&bases) {
            return Ok(*tree);
        }
        let mut tree = self.drafts.scope().tree_of(*first)?;
        let mut folded = vec![*first];
        for next in rest.iter().filter(|_| depth < DEEPEST) {
            let below = history::merge_bases_with_all(self.drafts.scope(), *next, &folded)?;
            let base = self.tree(&below, depth + 1)?;
            tree = self.fold(
                Trees { base, ours: tree, theirs: self.drafts.scope().tree_of(*next)? },
                [folded[0], *next],
            )?;
            folded.push(*next);
        }
        self.known.insert(bases, tree);
        Ok(tree)
    }

    fn fold(&mut self, trees: Trees, sides: [CommitId; 2]) -> Result<TreeId, git::Error> {
        let scope = self.drafts.scope().clone();
        let committed = [committed(&scope, sides[0])?, committed(&scope, sides[1])?];
        let options =
            Options { undecided: Undecided::Base, removals: Removals::ChangeStays, ..Options::default() };
        let terms = Terms { options, base: "base", committed };
        Ok(merge(&scope, self.drafts, trees, &terms)?.tree)
    }
}
