//! Who may see the pages: keys that sign in once, and the cookies of those who did.

use crate::say::site::form::SiteRights;
use crate::serve::secret;
use brv_engine::Actor;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a key signs in.
const LIFE: Duration = Duration::from_secs(600);

/// How many keys wait at a time: of more the oldest is forgotten.
const MOST: usize = 64;

/// Who signs in, and what they may do.
#[derive(Debug, Clone)]
pub struct Visitor {
    pub rights: SiteRights,
    pub actor: Actor,
}

/// The keys and cookies of a run.
#[derive(Debug)]
pub struct Keys {
    /// What new keys are given for: it stands in the note of the server.
    pub secret: String,
    /// Not used yet, with the time when they were made.
    keys: Mutex<Vec<(String, Visitor, Instant)>>,
    cookies: Mutex<Vec<(String, Visitor)>>,
}

impl Keys {
    /// # Errors
    /// The system has no random bytes.
    pub fn new() -> io::Result<Self> {
        Ok(Self { secret: secret::random::<32>()?, keys: Mutex::default(), cookies: Mutex::default() })
    }

    /// A new key for a visitor.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn make(&self, visitor: Visitor) -> io::Result<String> {
        let key = secret::random::<32>()?;
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|(_, _, made)| made.elapsed() < LIFE);
        if keys.len() == MOST {
            keys.remove(0);
        }
        keys.push((key.clone(), visitor, Instant::now()));
        Ok(key)
    }

    /// The cookie of who has this key, which is used up; `None` if it is none, was used or is too old.
    pub fn sign_in(&self, given: &str) -> Option<String> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let at = keys.iter().position(|(key, ..)| secret::is_same(given, key))?;
        let (_, visitor, made) = keys.swap_remove(at);
        let cookie = secret::random::<32>().ok().filter(|_| made.elapsed() < LIFE)?;
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner).push((cookie.clone(), visitor));
        Some(cookie)
    }

    /// Who has this cookie.
    pub fn visitor(&self, given: &str) -> Option<Visitor> {
        let cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        cookies.iter().find(|(cookie, _)| secret::is_same(given, cookie)).map(|(_, visitor)| visitor.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_signs_in_once_and_not_for_ever() {
        let keys = Keys::new().unwrap();
        let someone = || Visitor { rights: SiteRights::Comments, actor: Actor::default() };
        let key = keys.make(someone()).unwrap();
        assert_eq!(keys.sign_in("another"), None);
        let cookie = keys.sign_in(&key).unwrap();
        assert_eq!(keys.visitor(&cookie).unwrap().rights, SiteRights::Comments);
        assert!(keys.visitor(&key).is_none());
        assert_eq!(keys.sign_in(&key), None);
        let old = keys.make(someone()).unwrap();
        keys.keys.lock().unwrap()[0].2 = Instant::now().checked_sub(LIFE).unwrap();
        assert_eq!(keys.sign_in(&old), None);
    }
}
