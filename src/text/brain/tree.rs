//! The folders of the entries that are not in layer 3, with how many are in each.

use super::outcome::FolderNode;
use super::place::Placed;
use std::collections::BTreeMap;

/// Domains, with the topics in them.
pub fn tree(placed: &[Placed<'_>]) -> Vec<FolderNode> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in placed.iter().filter(|one| one.layer < 3) {
        *counts.entry(one.key()).or_default() += 1;
    }
    let mut nodes: Vec<FolderNode> = Vec::new();
    for (key, items) in counts {
        let (domain, topic) = key.split_once('/').map_or((key, None), |(domain, _)| (domain, Some(key)));
        // `a`, `a-b` and `a/c` come in this order
        let at = nodes.iter().position(|node| node.key == domain).unwrap_or_else(|| {
            nodes.push(FolderNode { key: domain.to_owned(), ..FolderNode::default() });
            nodes.len() - 1
        });
        nodes[at].items += items;
        let child = topic.map(|key| FolderNode { key: key.to_owned(), items, children: Vec::new() });
        nodes[at].children.extend(child);
    }
    nodes
}
