//! Version control: stage, restore, switch and reset files, fetch and push, and check what is committed or sent.
//!
//! Does not merge two histories; that is [`crate::merge`]. git's formats and protocols are in [`brv_git`].
//!
//! | room | contents |
//! |---|---|
//! | [`work_tree`] | status, staging, restoring, switching, hard reset, adopting another tool's tree |
//! | [`remotes`] | choosing a remote, fetching, pushing, waiting for other writers |
//! | [`check`] | findings in a change, a range of commits or a whole tree, and which of them block a push |
//! | [`suggest`] | the name that was probably meant by a mistyped one |

pub mod check;
pub mod remotes;
pub mod suggest;
pub mod work_tree;
