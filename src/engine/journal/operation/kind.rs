//! The kinds of operations: which command made one.

/// The command that made an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `brv init` on a tree that another tool made.
    Adopt,
    /// `vc commit`
    Commit,
    /// `vc pull`
    Pull,
    /// `vc clone`
    Clone,
    /// `vc resolve`
    Resolve,
    /// `vc repair`
    Repair,
    /// `vc check --fix`, `vc check --write-baseline`
    Check,
    /// `vc merge`
    Merge,
    /// `vc merge --abort`
    AbortMerge,
    /// `brv undo`
    Undo,
    /// `vc branch`
    Branch,
    /// `vc switch`, `vc checkout`
    Switch,
    /// `vc restore`
    Restore,
    /// `vc reset`
    Reset,
    /// `vc mv`
    Move,
    /// `vc rm`
    Remove,
    /// `vc revert`
    Revert,
    /// `vc sync`
    Sync,
    /// `vc add`
    Add,
    /// `vc push`; only the upstreams that it sets are logged
    Push,
    /// `vc remote`
    Remote,
    /// `vc tag`
    Tag,
    /// `brv curate`
    Curate,
    /// `brv archive run`
    Archive,
    /// `brv archive restore`
    Unarchive,
    Dream,
    /// The rejection of a reviewed change
    Reject,
    /// `brv stale confirm`
    Confirm,
}

impl Kind {
    pub const ALL: [Self; 28] = [
        Self::Adopt,
        Self::Commit,
        Self::Pull,
        Self::Clone,
        Self::Merge,
        Self::AbortMerge,
        Self::Resolve,
        Self::Repair,
        Self::Check,
        Self::Undo,
        Self::Branch,
        Self::Switch,
        Self::Restore,
        Self::Reset,
        Self::Move,
        Self::Remove,
        Self::Revert,
        Self::Sync,
        Self::Add,
        Self::Push,
        Self::Remote,
        Self::Tag,
        Self::Curate,
        Self::Archive,
        Self::Unarchive,
        Self::Dream,
        Self::Reject,
        Self::Confirm,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Adopt => "adopt",
            Self::Commit => "commit",
            Self::Pull => "pull",
            Self::Clone => "clone",
            Self::Resolve => "resolve",
            Self::Repair => "repair",
            Self::Check => "check",
            Self::Merge => "merge",
            Self::AbortMerge => "merge --abort",
            Self::Undo => "undo",
            Self::Branch => "branch",
            Self::Switch => "switch",
            Self::Restore => "restore",
            Self::Reset => "reset",
            Self::Move => "mv",
            Self::Remove => "rm",
            Self::Revert => "revert",
            Self::Sync => "sync",
            Self::Add => "add",
            Self::Push => "push",
            Self::Remote => "remote",
            Self::Tag => "tag",
            Self::Curate => "curate",
            Self::Archive => "archive",
            Self::Unarchive => "unarchive",
            Self::Dream => "dream",
            Self::Reject => "reject",
            Self::Confirm => "confirm",
        }
    }
}
