//! `--graph`: draws the history beside its commits, in ASCII.
//!
//! Every line of descent has a lane two columns wide. A commit is a star in its lane. Where lanes meet below it, one
//! more row links them: neighbours by `|\` and `|/`, others by a bar as in `+-|-.`, on which `+` is a lane that goes
//! on, `.` one that begins, `'` one that ends, and `|` one that is only crossed. Written from this description, which
//! is brv's own: git's graph has other signs. Reads no repository: any type with equality can be a commit.

/// The lanes between two commits.
#[derive(Debug)]
pub struct Graph<Id> {
    /// The commit that each lane leads to.
    lanes: Vec<Option<Id>>,
    /// The lane of the last commit, if no line leads on from it: a star right below would look like its parent.
    ended: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphRow {
    /// For the line with the star; as wide as the others.
    pub star: String,
    /// For the line that links lanes, if there is one.
    pub link: Option<String>,
    /// For every line after these.
    pub below: String,
}

impl<Id> Default for Graph<Id> {
    fn default() -> Self {
        Self { lanes: Vec::new(), ended: None }
    }
}

impl<Id: Copy + PartialEq> Graph<Id> {
    /// The graph beside a line between two commits.
    pub fn between(&self) -> String {
        straight(&self.lanes)
    }

    /// Draw the next commit in the order in which they are shown.
    pub fn row(&mut self, commit: Id, parents: &[Id]) -> GraphRow {
        let lane = self.lane_of(commit).unwrap_or_else(|| self.lane_for_tip());
        let mut star = straight(&self.lanes);
        star.replace_range(2 * lane..=2 * lane, "*");
        self.lanes[lane] = None;
        let linked = match parents {
            [parent] => self.go_on(lane, *parent),
            _ => parents.iter().map(|parent| self.lane_for_parent(lane, *parent)).collect(),
        };
        let below = straight(&self.lanes);
        (star.len()..below.len()).for_each(|_| star.push(' '));
        let has_link = linked.iter().any(|other| *other != lane);
        let link = has_link.then(|| link(star.as_bytes(), below.as_bytes(), lane, &linked));
        self.ended = parents.is_empty().then_some(lane);
        let kept = self.lanes.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        self.lanes.truncate(kept);
        GraphRow { star, link, below }
    }

    fn lane_of(&self, commit: Id) -> Option<usize> {
        self.lanes.iter().position(|other| *other == Some(commit))
    }

    /// The free lane nearest to `lane`, except `not`; a new one only if all are taken.
    fn free(&mut self, lane: usize, not: Option<usize>) -> usize {
        let is_free = |at: &usize| self.lanes[*at].is_none() && Some(*at) != not;
        let nearest = (0..self.lanes.len()).filter(is_free).min_by_key(|at| at.abs_diff(lane));
        let found = nearest.unwrap_or(self.lanes.len() + usize::from(not == Some(self.lanes.len())));
        self.lanes.resize(self.lanes.len().max(found + 1), None);
        found
    }

    fn lane_for_tip(&mut self) -> usize {
        self.free(0, self.ended)
    }

    /// Leads a commit to its only parent. If another lane leads there too, the left one is kept.
    fn go_on(&mut self, lane: usize, parent: Id) -> Vec<usize> {
        let other = self.lane_of(parent).unwrap_or(lane);
        self.lanes[lane.max(other)] = None;
        self.lanes[lane.min(other)] = Some(parent);
        if other == lane { Vec::new() } else { vec![other] }
    }

    /// The lane from a merge at `lane` to one of its parents.
    fn lane_for_parent(&mut self, lane: usize, parent: Id) -> usize {
        let found = self.lane_of(parent).unwrap_or_else(|| self.free(lane, None));
        self.lanes[found] = Some(parent);
        found
    }
}

fn straight<Id>(lanes: &[Option<Id>]) -> String {
    let mut signs = String::with_capacity(2 * lanes.len() + 2);
    lanes.iter().for_each(|lane| signs.push_str(if lane.is_some() { "| " } else { "  " }));
    signs
}

/// The row below a commit in `lane` that links other lanes to it.
fn link(above: &[u8], below: &[u8], lane: usize, linked: &[usize]) -> String {
    let mut signs: Vec<u8> =
        above.iter().zip(below).map(|(above, below)| if *above == b' ' { b' ' } else { *below }).collect();
    let corner = |at: usize| match (above[2 * at], below[2 * at]) {
        (b' ', _) => b'.',
        (_, b' ') => b'\'',
        _ => b'+',
    };
    let (left, right): (Vec<usize>, Vec<usize>) =
        linked.iter().filter(|at| **at != lane).partition(|at| **at < lane);
    for side in [left, right] {
        let Some((first, last)) = side.iter().min().zip(side.iter().max()) else { continue };
        let (first, last) = (lane.min(*first), lane.max(*last));
        if last - first == 1 {
            let leads_right = first == lane && below[2 * last] != b' ';
            signs[2 * first + 1] = if leads_right { b'\\' } else { b'/' };
            continue;
        }
        signs[2 * first..2 * last].iter_mut().filter(|sign| **sign == b' ').for_each(|sign| *sign = b'-');
        side.iter().chain([&lane]).for_each(|at| signs[2 * at] = corner(*at));
    }
    signs.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(history: &[(u32, &[u32])]) -> String {
        let mut graph = Graph::default();
        let mut text = String::new();
        for (commit, parents) in history {
            let row = graph.row(*commit, parents);
            text.push_str(&format!("{}{commit}\n", row.star));
            assert_eq!(row.star.len(), row.below.len());
            if let Some(link) = row.link {
                assert_eq!(link.len(), row.below.len());
                text.push_str(&format!("{}\n", link.trim_end()));
            }
        }
        text
    }

    #[test]
    fn a_merge_and_its_branches() {
        assert_eq!(
            drawn(&[(5, &[4, 3]), (3, &[2]), (4, &[2]), (2, &[1]), (1, &[])]),
            "*   5\n|\\\n| * 3\n* | 4\n|/\n* 2\n* 1\n"
        );
    }

    #[test]
    fn bars_show_what_begins_goes_on_ends_and_crosses() {
        assert_eq!(
            drawn(&[(9, &[1]), (5, &[4, 3, 2]), (2, &[1]), (3, &[1]), (4, &[1]), (1, &[])]),
            "* 9\n| *     5\n| +-.-.\n| | | * 2\n+-|-|-'\n| | * 3\n+-|-'\n| * 4\n|/\n* 1\n"
        );
    }

    #[test]
    fn the_left_of_two_lanes_stays() {
        assert_eq!(
            drawn(&[(3, &[2]), (4, &[1]), (5, &[1]), (2, &[1]), (1, &[])]),
            "* 3\n| * 4\n| | * 5\n| |/\n* | 2\n|/\n* 1\n"
        );
    }

    #[test]
    fn lanes_that_ended_are_used_again() {
        let history: &[(u32, &[u32])] =
            &[(7, &[4, 6, 5]), (6, &[4]), (5, &[4, 3, 2]), (3, &[2]), (2, &[1]), (4, &[1]), (1, &[])];
        assert_eq!(
            drawn(history),
            "*     7\n+-.-.\n| * | 6\n|/  |\n|   * 5\n+-.-+\n| | * 3\n| |/\n| * 2\n* | 4\n|/\n* 1\n"
        );
    }

    #[test]
    fn what_follows_a_root_stands_beside_it() {
        assert_eq!(drawn(&[(3, &[]), (2, &[1]), (1, &[]), (0, &[])]), "* 3\n  * 2\n  * 1\n* 0\n");
    }
}
