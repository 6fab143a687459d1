//! Write the tree crash-safely: change files, index, refs and settings as one operation that can be undone, and commit.
//!
//! Does not know why a file changes, and does not merge: the caller brings the new bytes.
//!
//! | room | contents |
//! |---|---|
//! | [`operation`] | the lock, the plan, the writes, and putting all back if a write fails |
//! | [`landing`] | one operation and one commit of exactly the changed files |
//! | [`policy`] | which files of a commit are written to disk, withheld, or refused |
//! | [`overriding`] | the guards that a user overrides with `--allow` |
//! | [`written`] | the JSON for the effects of a command that writes |

pub mod landing;
pub mod operation;
pub mod overriding;
pub mod policy;
pub mod written;
