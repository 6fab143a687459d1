//! One operation: its id, its kind, what it changes, and the message that keeps it.

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
