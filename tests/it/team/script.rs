//! The script of a team: who edits what, in which order, and who syncs when. The same for every tool.
//!
//! Knows no text: an edit is a kind, a choice of entry and a seed.

/// A stream of numbers from a seed (SplitMix64; Steele, Lea, Flood 2014).
pub struct Numbers(u64);

impl Numbers {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `end`.
    pub const fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A random element.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The edits that people and agents make. Each except those to the file itself sets `updatedAt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    AddFact,
    AddClaim,
    ChangeFact,
    RemoveFact,
    AddRule,
    ChangeRule,
    RemoveRule,
    AddTask,
    TickTask,
    ChangeSentence,
    AddSentence,
    AddParagraph,
    AddSection,
    AddRow,
    ChangeRow,
    LogChange,
    AddTag,
    AddKeyword,
    AddRelated,
    ChangeSummary,
    AddStep,
    ChangeExample,
    Rewrap,
    ReorderSections,
    NewEntry,
    RenameEntry,
    DeleteEntry,
}

/// How often each happens, in a thousand. Mostly, an agent adds what it learned, as facts and rules; now and then it
/// corrects something; people tick, log and rewrite prose. Housekeeping is rare.
pub const WEIGHTS: [(Kind, usize); 27] = [
    // an agent learned one fact about something new: the main use of the tool
    (Kind::AddFact, 200),
    // one more statement about a known subject
    (Kind::AddClaim, 40),
    // an outdated fact, corrected by a writer who noticed
    (Kind::ChangeFact, 100),
    (Kind::RemoveFact, 30),
    // a convention, requested in a review
    (Kind::AddRule, 90),
    (Kind::ChangeRule, 20),
    (Kind::RemoveRule, 10),
    (Kind::AddTask, 30),
    (Kind::TickTask, 50),
    // prose is written once and seldom corrected
    (Kind::ChangeSentence, 60),
    (Kind::AddSentence, 20),
    (Kind::AddParagraph, 30),
    (Kind::AddSection, 30),
    (Kind::AddRow, 40),
    (Kind::ChangeRow, 10),
    // a log in an entry gets a line with every change of its subject
    (Kind::LogChange, 50),
    (Kind::AddTag, 30),
    (Kind::AddKeyword, 30),
    (Kind::AddRelated, 20),
    // an agent that rewrites an entry also rewrites its summary
    (Kind::ChangeSummary, 40),
    (Kind::AddStep, 10),
    (Kind::ChangeExample, 5),
    // an editor that wraps paragraphs
    (Kind::Rewrap, 10),
    (Kind::ReorderSections, 5),
    (Kind::NewEntry, 30),
    (Kind::RenameEntry, 5),
    (Kind::DeleteEntry, 5),
];

/// One edit.
#[derive(Debug, Clone, Copy)]
pub struct Edit {
    /// Its kind.
    pub kind: Kind,
    /// The entry by rank: 0 is the most edited one.
    pub rank: usize,
    /// The seed of its text and place.
    pub seed: u64,
    /// Its unique number, which its text contains.
    pub number: usize,
}

/// One step of a writer.
#[derive(Debug, Clone)]
pub enum Step {
    /// Edits, and one commit of them.
    Session { writer: usize, edits: Vec<Edit> },
    /// Pull.
    Pull { writer: usize },
    /// Pull and push.
    Sync { writer: usize },
    /// Pull from a teammate what is not pushed yet: this makes criss-cross histories.
    PullFrom { writer: usize, mate: usize },
}

/// The size of the simulation.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// The number of writers.
    pub writers: usize,
    /// In each round, every writer works once.
    pub rounds: usize,
    /// The number of initial entries.
    pub entries: usize,
}

/// All steps. At the end every writer syncs until all have the same.
pub fn script(size: Size, seed: u64) -> Vec<Step> {
    let mut numbers = Numbers::new(seed);
    let zipf = Zipf::new(size.entries);
    let (mut steps, mut count) = (Vec::new(), 0);
    for _ in 0..size.rounds {
        let mut order: Vec<usize> = (0..size.writers).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, numbers.below(at + 1));
        }
        for writer in order {
            let edits = (0..1 + numbers.below(3)).map(|_| {
                count += 1;
                let kind = kind(&mut numbers);
                Edit { kind, rank: zipf.rank(&mut numbers), seed: numbers.next(), number: count }
            });
            steps.push(Step::Session { writer, edits: edits.collect() });
            match numbers.below(100) {
                0..35 => steps.push(Step::Sync { writer }),
                35..50 => steps.push(Step::Pull { writer }),
                50..53 => {
                    let mate = (writer + 1 + numbers.below(size.writers - 1)) % size.writers;
                    steps.push(Step::PullFrom { writer, mate });
                }
                _ => {}
            }
        }
    }
    // the second sync brings what those after them have pushed
    steps.extend((0..2 * size.writers).map(|at| Step::Sync { writer: at % size.writers }));
    steps
}

fn kind(numbers: &mut Numbers) -> Kind {
    let total: usize = WEIGHTS.iter().map(|(_, weight)| weight).sum();
    let mut left = numbers.below(total);
    for (kind, weight) in WEIGHTS {
        if left < weight {
            return kind;
        }
        left -= weight;
    }
    unreachable!("the weights add up")
}

/// The n-th most edited entry is edited 1/n as often as the most edited one: the usual distribution of
/// how often things are looked up and changed.
struct Zipf(Vec<f64>);

impl Zipf {
    #[allow(clippy::cast_precision_loss, reason = "ranks are small")]
    fn new(count: usize) -> Self {
        let mut sum = 0.0;
        let sums = (1..=count).map(|rank| {
            sum += 1.0 / rank as f64;
            sum
        });
        Self(sums.collect())
    }

    #[allow(clippy::cast_precision_loss, reason = "53 bits are enough for a choice")]
    fn rank(&self, numbers: &mut Numbers) -> usize {
        let at = (numbers.next() >> 11) as f64 / (1_u64 << 53) as f64 * self.0[self.0.len() - 1];
        self.0.partition_point(|sum| *sum <= at).min(self.0.len() - 1)
    }
}
