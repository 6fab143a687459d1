//! Whether the code moved on since an entry was written: what an entry cites and names, what introduces a name in a file,
//! and the state that follows from the files of then and now. Pure: files come in as bytes.

mod citations;
mod declaration;
mod names;
mod outcome;

pub use citations::{CitingLine, cited_and_spans, cited_paths, citing_lines};
pub use names::{Altered, Text, altered};
pub use outcome::{BaseBy, CitedFile, Freshness, State};
