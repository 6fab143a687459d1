//! Whether the code moved on since an entry was written: what an entry cites and names, what introduces a name in a file,
//! and the state that follows from the files of then and now. Pure: files come in as bytes.

mod around;
mod citations;
mod compare;
mod constant;
mod declaration;
mod lines;
mod modifiers;
mod names;
mod outcome;
mod prose;
mod repointing;
mod said;
mod shown;
mod sides;
mod surroundings;
mod text;
mod words;

pub use around::NearbyChange;
pub use citations::{Citation, CitingLine, citations, cited_and_spans, cited_paths, cites_any, citing_lines};
pub use compare::{NameFinding, compare};
pub use lines::{likeness, recited};
pub use names::introduces;
pub use outcome::{BaseBy, ChangeState, CitedFile, Freshness, NameChange, State};
pub use prose::is_prose;
pub use repointing::{Cites, may_cite};
pub use said::Said;
pub use sides::Altered;
pub use text::{NameQuery, Text};
pub use words::{CodeWords, Counter};
