//! Report the progress of long operations: the trait only. The terminal's progress bar is in `brv::cli`.

/// A sink for progress of one command. Calls are cheap and may come from several threads.
pub trait Progress: Send + Sync {
    /// `done` of `total` steps (`None` if unknown) of a stage. Counts that arrive late from another thread may be lower
    /// than earlier ones.
    fn update(&self, stage: Stage, done: u64, total: Option<u64>);

    /// The bytes the stage has read, received or sent since it began.
    fn bytes(&self, _stage: Stage, _bytes: u64) {}

    /// A line for the person who waits, such as that an interrupt was heard.
    fn notice(&self, _line: &str) {}

    /// A message from the remote's server, free of control characters.
    fn remote_message(&self, line: &str);
}

/// The stages that take long enough to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Reading and hashing files of the work tree.
    Add,
    /// Writing files of the work tree.
    Checkout,
    /// Waiting for the remote while it counts, packs, or checks what it received.
    Wait,
    Receive,
    /// Checking and indexing received objects.
    Resolve,
    /// Selecting the objects to send.
    Count,
    /// Packing objects that stay local.
    Pack,
    /// Packing and sending objects at the same time.
    Send,
    Derive,
    Index,
    /// Waiting for the answers of a language model.
    Model,
}

impl Stage {
    /// The label shown beside the bar.
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
            Self::Index => "Indexing",
            Self::Model => "Asking the model",
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn update(&self, _stage: Stage, _done: u64, _total: Option<u64>) {}
    fn remote_message(&self, _line: &str) {}
}
