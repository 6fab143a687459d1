//! What a branch changes as a whole, and since which commit.

use super::{World, id};
use brv_engine::open::hosting::Host;
use brv_engine::open::hosting::branch::branch_change;
use brv_git::{CommitId, patch_id};

/// The commits of the change, newest first, after a look at its patch id.
fn commits(world: &World, branch: Option<&str>, base: &str) -> Option<Vec<String>> {
    let host = Host { scope: world.scope() };
    let (change, commits) = branch_change(&host, id(&world.head()), branch).unwrap()?;
    let tree = |name: &str| host.scope.tree_of(id(&world.git(&["rev-parse", name]))).unwrap();
    let patch = patch_id::between(&host.scope, tree(base), tree("HEAD")).unwrap().unwrap();
    assert_eq!(change.patch, patch.to_string());
    Some(commits.iter().map(CommitId::to_string).collect())
}

#[test]
fn the_change_of_a_branch_begins_where_it_left_the_nearest_other_one() {
    let world = World::new();
    world.git(&["branch", "start"]);
    assert_eq!(commits(&world, Some("main"), "start"), None, "the default branch");
    world.git(&["switch", "-q", "-c", "topic"]);
    assert_eq!(commits(&world, Some("topic"), "start"), None, "nothing differs yet");
    let a = world.commit("a.txt", "a\n");
    let b = world.commit("b.txt", "b\n");
    for branch in [Some("topic"), Some("refs/heads/topic"), None] {
        assert_eq!(commits(&world, branch, "start"), Some(vec![b.clone(), a.clone()]));
    }
    world.git(&["switch", "-q", "-c", "stacked"]);
    world.git(&["branch", "-q", "--set-upstream-to=topic"]);
    let c = world.commit("c.txt", "c\n");
    assert_eq!(commits(&world, Some("stacked"), "topic"), Some(vec![c.clone()]));
    world.git(&["branch", "-q", "--unset-upstream"]);
    assert_eq!(commits(&world, Some("stacked"), "start"), Some(vec![c.clone(), b.clone(), a]));
    world.git(&["branch", "-q", "-f", "main", &b]);
    assert_eq!(commits(&world, Some("stacked"), "topic"), Some(vec![c]), "the default branch has the rest");
}

#[test]
fn the_default_branch_is_the_one_that_the_remote_names() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "develop"]);
    let a = world.commit("a.txt", "a\n");
    assert_eq!(commits(&world, Some("develop"), "main"), Some(vec![a.clone()]));
    world.git(&["update-ref", "refs/remotes/origin/develop", &a]);
    world.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"]);
    assert_eq!(commits(&world, Some("develop"), "main"), None);
    world.git(&["switch", "-q", "-c", "topic"]);
    let b = world.commit("b.txt", "b\n");
    assert_eq!(commits(&world, Some("topic"), "develop"), Some(vec![b]));
    world.git(&["symbolic-ref", "--delete", "refs/remotes/origin/HEAD"]);
    world.git(&["branch", "-q", "-m", "main", "other"]);
    assert_eq!(commits(&world, Some("topic"), "develop"), None, "nothing says which one it is");
}
