//! How long work says how far it is. The terminal's bar is in [`crate::cli`]; here is only the shape.

/// A sink for progress of one command. Calls are cheap and may come from several threads.
pub trait Progress: Send + Sync {
    /// `done` of `total` steps (unknown: `None`) of the stage called `stage`. Counts that come late, from another
    /// thread, may be lower than earlier ones.
    fn update(&self, stage: Stage, done: u64, total: Option<u64>);

    /// How many bytes the stage has read, received or sent since its beginning.
    fn bytes(&self, _stage: Stage, _bytes: u64) {}

    /// A line that the remote's server sent for people, free of control characters.
    fn remote_message(&self, line: &str);
}

/// The stages that take long enough to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Reading and hashing files of the work tree.
    Add,
    /// Writing files of the work tree.
    Checkout,
    /// Waiting for the remote, which counts and packs, or checks what it was sent.
    Wait,
    /// Receiving objects.
    Receive,
    /// Checking and indexing received objects.
    Resolve,
    /// Selecting the objects to send.
    Count,
    /// Packing objects that stay here.
    Pack,
    /// Packing and sending objects, at once.
    Send,
    /// Making derived files.
    Derive,
}

impl Stage {
    /// The word shown beside the bar.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Add => "Adding files",
            Self::Checkout => "Writing files",
            Self::Wait => "Waiting for the remote",
            Self::Receive => "Receiving objects",
            Self::Resolve => "Resolving deltas",
            Self::Count => "Counting objects",
            Self::Pack => "Packing objects",
            Self::Send => "Compressing and sending",
            Self::Derive => "Deriving summaries",
        }
    }
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn update(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
    fn remote_message(&self, _line: &str) {}
}
