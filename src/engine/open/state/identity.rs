//! The id of a project: a random text in its git folder and in its state, which no clone has.

use super::State;
use super::place::Place;
use brv_base::fs;
use std::path::PathBuf;

fn file(place: &Place) -> PathBuf {
    place.folder().join("project-id")
}

/// The id, once there is one.
pub(super) fn read(place: &Place) -> Option<String> {
    let bytes = fs::read_if_there(&file(place)).ok()??;
    Some(String::from_utf8(bytes).ok()?.trim().to_owned()).filter(|id| !id.is_empty())
}

/// Give a new state the id of the project. Without one, a copy of it is believed less; nothing else depends on it.
pub(super) fn give(state: &State, place: &Place) {
    let made = || state.connection.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0));
    let id = match read(place) {
        Some(id) => id,
        None => {
            let Ok(id) = made() else { return };
            let id: String = id;
            if fs::replace_private(&file(place), format!("{id}\n").as_bytes()).is_err() {
                return;
            }
            id
        }
    };
    let _ = state.connection.execute("INSERT OR REPLACE INTO project (only, id) VALUES (1, ?1)", [id]);
}
