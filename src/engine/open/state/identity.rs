//! The id of a project: a random text in its git folder and in its state, which no clone has. What is kept elsewhere names it,
//! so that what a clone brings is not taken for this project's own.

use super::State;
use super::place::StatePlace;
use crate::open::tree::private_folder;
use brv_base::fs;
use brv_git::Scope;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

fn file(folder: &Path) -> PathBuf {
    folder.join("project-id")
}

/// The id, once there is one.
pub(super) fn read(folder: &Path) -> Option<String> {
    let bytes = fs::read_if_there(&file(folder)).ok()??;
    Some(String::from_utf8(bytes).ok()?.trim().to_owned()).filter(|id| !id.is_empty())
}

/// The id, which is made if there is none; `None` if it cannot be written.
fn made(folder: &Path) -> Option<String> {
    if let Some(id) = read(folder) {
        return Some(id);
    }
    let random = Connection::open_in_memory().ok()?;
    let id: String = random.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0)).ok()?;
    fs::create_folder(folder).ok()?;
    fs::replace_private(&file(folder), format!("{id}\n").as_bytes()).ok()?;
    Some(id)
}

/// The id of the project of a tree, which is made if there is none; `None` if it cannot be written.
pub fn project_id(scope: &Scope) -> Option<String> {
    made(&private_folder(scope.common_dir(), scope.prefix()))
}

/// Give a new state the id of the project. Without one, a copy of it is believed less; nothing else depends on it.
pub(super) fn give(state: &State, place: &StatePlace) {
    let Some(id) = made(place.folder()) else { return };
    let _ = state.connection.execute("INSERT OR REPLACE INTO project (only, id) VALUES (1, ?1)", [id]);
}
