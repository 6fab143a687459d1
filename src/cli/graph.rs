//! The picture of a history beside its commits: which line leads where, column by column, as git draws it.
//!
//! A machine that is fed commits in the order in which they are shown, and gives one line of the picture at a time. Knows
//! no repository: a commit is whatever can be told from another one.

/// What the next line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Straight lines: everything about the commit is drawn.
    Padding,
    /// That the commit before was not finished.
    Skip,
    /// Lines that make room for a merge of many.
    PreCommit,
    /// The commit.
    Commit,
    /// The lines that leave a merge.
    PostMerge,
    /// Lines that move to the left, to where they belong.
    Collapsing,
}

/// A line of the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// As wide as the picture is here.
    pub text: String,
    /// Whether it has the commit itself.
    pub is_commit: bool,
}

/// The picture so far.
#[derive(Debug)]
pub struct Graph<Id> {
    /// The commit that is drawn, and where it leads.
    commit: Option<Id>,
    parents: Vec<Id>,
    /// The columns above the commit, and below it.
    columns: Vec<Id>,
    new_columns: Vec<Id>,
    /// Signs to which new column each place of a line belongs; `None`: to none.
    mapping: Vec<Option<usize>>,
    old_mapping: Vec<Option<usize>>,
    width: usize,
    expansion_row: usize,
    state: State,
    previous: State,
    commit_index: usize,
    previous_commit_index: usize,
    layout: Layout,
    /// Columns that a merge adds, as far as they are not joined at once; below zero if they are.
    edges_added: i32,
    previous_edges_added: i32,
}

/// Where the first parent of a merge is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Not known yet, or no merge.
    Unknown,
    /// To the left of the merge.
    Left,
    /// Below it.
    Below,
}

impl Layout {
    const fn number(self) -> i32 {
        match self {
            Self::Unknown => -1,
            Self::Left => 0,
            Self::Below => 1,
        }
    }
}

fn as_signed(count: usize) -> i32 {
    i32::try_from(count).expect("fewer lines than fit on any screen")
}

impl<Id: Copy + PartialEq> Graph<Id> {
    /// Of no commit.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            commit: None,
            parents: Vec::new(),
            columns: Vec::new(),
            new_columns: Vec::new(),
            mapping: Vec::new(),
            old_mapping: Vec::new(),
            width: 0,
            expansion_row: 0,
            state: State::Padding,
            previous: State::Padding,
            commit_index: 0,
            previous_commit_index: 0,
            layout: Layout::Unknown,
            edges_added: 0,
            previous_edges_added: 0,
        }
    }

    /// The next commit to be drawn, and those of the picture that it leads to.
    pub fn update(&mut self, commit: Id, parents: &[Id]) {
        self.commit = Some(commit);
        self.parents = parents.to_vec();
        self.previous_commit_index = self.commit_index;
        self.update_columns(commit);
        self.expansion_row = 0;
        self.state = match self.state {
            State::Padding if self.needs_room() => State::PreCommit,
            State::Padding => State::Commit,
            _ => State::Skip,
        };
    }

    /// Whether all lines of the commit are drawn.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.state == State::Padding
    }

    /// The next line.
    pub fn next_line(&mut self) -> Line {
        let mut text = String::new();
        let is_commit = self.state == State::Commit;
        match self.state {
            State::Padding => self.padding(&mut text),
            State::Skip => {
                text.push_str("...");
                let next = if self.needs_room() { State::PreCommit } else { State::Commit };
                self.become_state(next);
            }
            State::PreCommit => self.pre_commit(&mut text),
            State::Commit => self.commit_line(&mut text),
            State::PostMerge => self.post_merge(&mut text),
            State::Collapsing => self.collapsing(&mut text),
        }
        self.pad(&mut text);
        Line { text, is_commit }
    }

    /// A line between the commit before and this one, whose own lines are not drawn yet.
    pub fn line_before(&mut self) -> String {
        if self.state != State::Commit {
            return self.next_line().text;
        }
        let mut text = String::new();
        for column in &self.columns {
            text.push('|');
            let is_wide = Some(*column) == self.commit && self.parents.len() > 2;
            let spaces = if is_wide { (self.parents.len() - 2) * 2 } else { 1 };
            text.extend(std::iter::repeat_n(' ', spaces));
        }
        self.pad(&mut text);
        self.previous = State::Padding;
        text
    }

    const fn become_state(&mut self, state: State) {
        self.previous = self.state;
        self.state = state;
    }

    fn dashed_parents(&self) -> i32 {
        as_signed(self.parents.len()) + self.layout.number() - 3
    }

    fn needs_room(&self) -> bool {
        self.parents.len() >= 3
            && self.commit_index + 1 < self.columns.len()
            && as_signed(self.expansion_row) < self.dashed_parents() * 2
    }

    fn update_columns(&mut self, commit: Id) {
        self.columns = std::mem::take(&mut self.new_columns);
        let size = 2 * (self.columns.len() + self.parents.len());
        self.mapping = vec![None; size];
        self.width = 0;
        self.previous_edges_added = self.edges_added;
        self.edges_added = 0;
        let mut is_seen = false;
        let columns = self.columns.clone();
        for (index, column) in columns.iter().copied().map(Some).chain([None]).enumerate() {
            if column.is_none() && is_seen {
                break;
            }
            match column.filter(|column| *column != commit) {
                Some(other) => self.insert(other, None),
                None => {
                    is_seen = true;
                    self.commit_index = index;
                    self.layout = Layout::Unknown;
                    for parent in self.parents.clone() {
                        self.insert(parent, Some(index));
                    }
                    // the commit takes its place also where nothing leaves it
                    self.width += if self.parents.is_empty() { 2 } else { 0 };
                }
            }
        }
        while self.mapping.len() > 1 && self.mapping.last() == Some(&None) {
            self.mapping.pop();
        }
    }

    /// A column that goes on below; `from`: the column of the merge that it leaves.
    fn insert(&mut self, commit: Id, from: Option<usize>) {
        let found = self.new_columns.iter().position(|column| *column == commit);
        let column = found.unwrap_or_else(|| {
            self.new_columns.push(commit);
            self.new_columns.len() - 1
        });
        let is_first_of_merge = self.parents.len() > 1 && self.layout == Layout::Unknown;
        let place = if let Some(from) = from.filter(|_| is_first_of_merge) {
            let distance = from.saturating_sub(column);
            let shift = if distance > 1 { 2 * distance - 3 } else { 1 };
            self.layout = if distance > 0 { Layout::Left } else { Layout::Below };
            self.edges_added = as_signed(self.parents.len()) + self.layout.number() - 2;
            let place = if self.layout == Layout::Left { self.width - shift } else { self.width };
            self.width += if self.layout == Layout::Left { 0 } else { 2 };
            place
        } else if self.edges_added > 0 && self.mapping[self.width - 2] == Some(column) {
            // the last edge of a merge and this one join at once
            self.edges_added = -1;
            self.width - 2
        } else {
            self.width += 2;
            self.width - 2
        };
        if place >= self.mapping.len() {
            self.mapping.resize(place + 1, None);
        }
        self.mapping[place] = Some(column);
    }

    fn is_in_place(&self) -> bool {
        self.mapping.iter().enumerate().all(|(place, target)| target.is_none_or(|target| target == place / 2))
    }

    fn settle(&mut self) {
        let next = if self.is_in_place() { State::Padding } else { State::Collapsing };
        self.become_state(next);
    }

    fn pad(&self, text: &mut String) {
        let missing = self.width.saturating_sub(text.len());
        text.extend(std::iter::repeat_n(' ', missing));
    }

    fn padding(&self, text: &mut String) {
        self.new_columns.iter().for_each(|_| text.push_str("| "));
    }

    /// What stands to the right of the commit moves to make room for the parents behind the second.
    fn pre_commit(&mut self, text: &mut String) {
        let mut is_seen = false;
        for (index, column) in self.columns.iter().enumerate() {
            if Some(*column) == self.commit {
                is_seen = true;
                text.push('|');
                text.extend(std::iter::repeat_n(' ', self.expansion_row));
            } else {
                let is_moving = self.expansion_row > 0
                    || self.previous == State::PostMerge && self.previous_commit_index < index;
                text.push(if is_seen && is_moving { '\\' } else { '|' });
            }
            text.push(' ');
        }
        self.expansion_row += 1;
        if !self.needs_room() {
            self.become_state(State::Commit);
        }
    }

    fn commit_line(&mut self, text: &mut String) {
        let mut is_seen = false;
        for index in 0..=self.columns.len() {
            let column = self.columns.get(index);
            if column.is_none() && is_seen {
                break;
            }
            if column.is_none_or(|column| Some(*column) == self.commit) {
                is_seen = true;
                text.push('*');
                let dashes = usize::try_from(self.dashed_parents()).unwrap_or(0);
                text.extend(std::iter::repeat_n('-', (2 * dashes).saturating_sub(1)));
                text.push_str(if dashes > 0 { "." } else { "" });
            } else {
                text.push(self.beside_commit(index, is_seen));
            }
            text.push(' ');
        }
        match self.parents.len() {
            0 | 1 => self.settle(),
            _ => self.become_state(State::PostMerge),
        }
    }

    /// The sign of another column on the commit's line.
    fn beside_commit(&self, index: usize, is_behind: bool) -> char {
        let came_from_merge = self.previous == State::PostMerge
            && self.previous_edges_added > 0
            && self.previous_commit_index < index;
        let is_arriving = self.previous == State::Collapsing
            && self.old_mapping.get(2 * index + 1) == Some(&Some(index))
            && self.mapping.get(2 * index).copied().flatten().is_none_or(|target| target < index);
        match (is_behind, self.edges_added) {
            (true, 2..) => '\\',
            (true, 1) if came_from_merge => '\\',
            (true, 1) => '|',
            _ if is_arriving => '/',
            _ => '|',
        }
    }

    fn post_merge(&mut self, text: &mut String) {
        let mut is_seen = false;
        let mut is_first_parent_left = false;
        for index in 0..=self.columns.len() {
            let column = self.columns.get(index).copied();
            if column.is_none() && is_seen {
                break;
            }
            let column = column.or(self.commit);
            if column == self.commit {
                is_seen = true;
                self.edges(text);
            } else if is_seen {
                text.push_str(if self.edges_added > 0 { "\\ " } else { "| " });
            } else {
                text.push('|');
                if self.layout != Layout::Left || index + 1 != self.commit_index {
                    text.push(if is_first_parent_left { '_' } else { ' ' });
                }
            }
            is_first_parent_left |= column == self.parents.first().copied();
        }
        self.settle();
    }

    /// The lines from a merge to its parents.
    fn edges(&self, text: &mut String) {
        let mut shape = if self.layout == Layout::Left { 0 } else { 1 };
        for number in 0..self.parents.len() {
            text.push(['/', '|', '\\'][shape]);
            if shape < 2 {
                shape += 1;
            } else if self.edges_added > 0 || number + 1 < self.parents.len() {
                text.push(' ');
            }
        }
        text.push_str(if self.edges_added == 0 { " " } else { "" });
    }

    fn collapsing(&mut self, text: &mut String) {
        let size = self.mapping.len();
        self.old_mapping = std::mem::replace(&mut self.mapping, vec![None; size]);
        let level = self.move_left();
        self.old_mapping.clone_from(&self.mapping);
        if self.mapping.last() == Some(&None) {
            self.mapping.pop();
        }
        let mut is_level_drawn = false;
        for place in 0..self.mapping.len() {
            let Some(target) = self.mapping[place] else {
                text.push(' ');
                continue;
            };
            let is_level = level.is_some_and(|(edge, to)| to == target && place + 1 != edge);
            if target * 2 == place {
                text.push('|');
            } else if is_level {
                // only the first piece goes on into the next line
                if place != target * 2 + 3 {
                    self.mapping[place] = None;
                }
                is_level_drawn = true;
                text.push('_');
            } else {
                if is_level_drawn && level.is_some_and(|(edge, _)| place < edge) {
                    self.mapping[place] = None;
                }
                text.push('/');
            }
        }
        if self.is_in_place() {
            self.become_state(State::Padding);
        }
    }

    /// Every line one step to the left. One of them may go the whole way on the level: where it is, and to which column
    /// it goes.
    fn move_left(&mut self) -> Option<(usize, usize)> {
        let mut level = None;
        for place in 0..self.old_mapping.len() {
            let Some(target) = self.old_mapping[place] else { continue };
            if target * 2 == place {
                self.mapping[place] = Some(target);
                continue;
            }
            let edge = match self.mapping[place - 1] {
                None => place,
                // it joins the line beside it
                Some(other) if other == target => continue,
                // it crosses the line beside it
                Some(_) => place - 1,
            };
            self.mapping[edge - 1] = Some(target);
            if level.is_none() {
                level = Some((edge, target));
                for between in (target * 2 + 3..place.saturating_sub(2)).step_by(2) {
                    self.mapping[between] = Some(target);
                }
            }
        }
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(history: &[(u32, &[u32])]) -> String {
        let mut graph = Graph::new();
        let mut text = String::new();
        for (commit, parents) in history {
            graph.update(*commit, parents);
            loop {
                let line = graph.next_line();
                text.push_str(&line.text);
                if line.is_commit {
                    text.push_str(&format!("{commit}\n"));
                    break;
                }
                text.push('\n');
            }
            while !graph.is_finished() {
                text.push_str(graph.next_line().text.trim_end());
                text.push('\n');
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
    fn a_merge_of_three_makes_room() {
        assert_eq!(
            drawn(&[(9, &[1]), (5, &[4, 3, 2]), (2, &[1]), (3, &[1]), (4, &[1]), (1, &[])]),
            "* 9\n| *-.   5\n| |\\ \\\n| | | * 2\n| |_|/\n|/| |\n| | * 3\n| |/\n|/|\n| * 4\n|/\n* 1\n"
        );
    }
}
