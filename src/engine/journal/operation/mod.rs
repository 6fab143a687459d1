//! One logged operation: its id, its kind, what it changes, and the commit message of trailers that holds all this.
//!
//! Knows the format. Does not know when an operation begins, ends or is recovered, and carries nothing out.
//!
//! | file | contents |
//! |---|---|
//! | [`id`], [`kind`], [`dream_id`] | the id, which sorts by time; the command; the name of a dream |
//! | [`draft`] | what an operation is going to change |
//! | [`record`] | writing and reading the trailers of its commit |
//! | [`touches`], [`ref_move`], [`place`] | the parts of the tree, the refs, and the work tree that it changes |
//! | [`note`], [`source_commit`], [`discarded`], [`undoes`] | what it says about a path, the code that taught it, values that a merge discarded, the operations it undoes |
//! | [`changed_settings`] | JSON for the settings that it changes |
//! | [`code_head`] | the head of the code when it was written |

pub mod changed_settings;
pub mod code_head;
pub mod discarded;
pub mod draft;
pub mod dream_id;
pub mod id;
pub mod kind;
pub mod note;
pub mod place;
pub mod record;
pub mod ref_move;
pub mod source_commit;
pub mod touches;
pub mod undoes;
