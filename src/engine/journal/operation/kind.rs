//! The kinds of operations: which command made one.

/// Makes [`OperationKind`] of its rows: what the code calls a kind, and what the operation log does.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)+) => {
        /// The command that made an operation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum OperationKind {
            $($(#[$doc])* $name,)+
        }

        impl OperationKind {
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$name),+];

            /// What the operation log calls it.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }
        }
    };
}

impl std::fmt::Display for OperationKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

brv_base::json_text!(OperationKind);

kinds! {
    /// `brv init` on a tree that another tool made.
    Adopt = "adopt",
    /// `vc commit`
    Commit = "commit",
    /// `vc pull`
    Pull = "pull",
    /// `vc clone`
    Clone = "clone",
    /// `vc merge`
    Merge = "merge",
    /// `vc merge --abort`
    AbortMerge = "merge --abort",
    /// `vc resolve`
    Resolve = "resolve",
    /// `vc repair`
    Repair = "repair",
    /// `vc check --fix`, `vc check --write-baseline`
    Check = "check",
    /// `brv undo`
    Undo = "undo",
    /// `vc branch`
    Branch = "branch",
    /// `vc switch`, `vc checkout`
    Switch = "switch",
    /// `vc restore`
    Restore = "restore",
    /// `vc reset`
    Reset = "reset",
    /// `vc mv`
    Move = "mv",
    /// `vc rm`
    Remove = "rm",
    /// `vc revert`
    Revert = "revert",
    /// `vc sync`
    Sync = "sync",
    /// `vc add`
    Add = "add",
    /// `vc push`; only the upstreams that it sets are logged
    Push = "push",
    /// `vc remote`
    Remote = "remote",
    /// `vc tag`
    Tag = "tag",
    /// `brv curate`
    Curate = "curate",
    /// `brv archive run`
    Archive = "archive",
    /// `brv archive restore`
    Unarchive = "unarchive",
    /// `brv dream`
    Dream = "dream",
    /// The rejection of a reviewed change
    Reject = "reject",
    /// `brv stale confirm`
    Confirm = "confirm",
}
