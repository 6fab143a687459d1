//! Whether the code moved on since an entry was written: what an entry cites and names, what introduces a name in a file,
//! and the state that follows from the files of then and now. Pure: files come in as bytes.

mod around;
mod citations;
mod constant;
mod declaration;
mod lines;
mod modifiers;
mod names;
mod outcome;
mod prose;
mod said;
mod shown;
mod words;

pub use around::{Around, around, recounted};
pub use citations::{CitingLine, cited_and_spans, cited_paths, citing_lines};
pub use lines::{is_but_for_paths, likeness, recited};
pub use names::{Altered, Asked, Text, altered};
pub use outcome::{BaseBy, Change, ChangeState, CitedFile, Freshness, State};
pub use prose::is_prose;
pub use said::Said;
pub use words::{CodeWords, Counter};
