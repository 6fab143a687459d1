//! Decides what happens to every object in the store: packed as reachable, packed as unreachable, or removed.

use super::Error;
use super::items::{Item, PackLocations};
use super::reach::{Absent, ReachWalk, ReachedObject};
use super::roots::{self, GcRoots};
use super::stock::{Pack, PackKind, Stock};
use super::sweep::Leave;
use super::{Expiry, Options, Workshop, write};
use crate::Scope;
use crate::error::Error as GitError;
use gix::hashtable::{HashMap, HashSet};
use gix::{ObjectId, Repository};

pub(super) struct GcPlan<'r> {
    walk: ReachWalk<'r>,
    /// Objects for the pack of reachable objects.
    pub reachable: Vec<ReachedObject>,
    /// Unreachable objects that were needed recently, and what they refer to.
    pub unreachable: Vec<ReachedObject>,
    /// When each unreachable object was last needed.
    ages: HashMap<ObjectId, i64>,
    pub expired: HashSet<ObjectId>,
    /// Objects in packs that must not be touched (`.keep`, `.promisor`).
    kept: HashSet<ObjectId>,
    /// The pack that holds exactly the reachable objects, if there is one.
    pub standing_pack: Option<usize>,
    /// The pack that holds exactly the unreachable objects, if there is one.
    standing_cruft: Option<usize>,
    /// Packs with objects that became reachable at the last moment.
    rescued: HashSet<ObjectId>,
}

impl<'r> GcPlan<'r> {
    /// Plans for all objects. `repo` shows objects without replacements.
    pub fn make(
        scope: &Scope,
        repo: &'r Repository,
        stock: &Stock,
        options: &Options,
    ) -> Result<Self, Error> {
        let mut walk = ReachWalk::new(repo, options.mentions.map(|mentions| mentions.file))?;
        let roots = roots::read(scope)?;
        let expiry = if roots.has_broken_refs { Expiry::Never } else { options.expiry };
        let owned = Owned::of(stock);
        let is_partial = stock.packs.iter().any(|pack| pack.path("promisor").exists());
        let absent = if is_partial { Absent::PassedOver } else { Absent::Refused };
        walk.follow_from(&roots.named, absent)?;
        let mut reachable = walk.take();
        if absent == Absent::Refused
            && let Some(missing) =
                reachable.iter().find(|found| !owned.has(found) && !repo.has_object(found.id))
        {
            return Err(Error::Missing(missing.id.to_string()));
        }
        walk.follow_from(&roots.mentioned, Absent::PassedOver)?;
        if let Some(mentions) = options.mentions {
            let named = walk.mentioned(mentions.of)?;
            walk.follow_from(&named, Absent::PassedOver)?;
        }
        reachable.extend(walk.take());
        reachable.retain(|found| owned.ages.contains_key(&found.id));
        let mut ages = owned.ages;
        ages.retain(|id, _| !walk.has_seen(id));
        let recent: Vec<_> =
            ages.iter().filter(|(_, age)| !expiry.is_past(**age)).map(|(id, _)| *id).collect();
        walk.follow_from(&recent, Absent::PassedOver)?;
        let mut unreachable = walk.take();
        unreachable.retain(|found| ages.contains_key(&found.id));
        let expired = ages.keys().filter(|id| !walk.has_seen(id)).copied().collect();
        let standing_pack = standing(stock, &reachable, |pack| matches!(pack.standing, PackKind::Plain));
        let standing_cruft = standing(stock, &unreachable, |pack| has_ages(pack, &ages));
        let kept = owned.kept;
        let rescued = HashSet::default();
        Ok(Self { walk, reachable, unreachable, ages, expired, kept, standing_pack, standing_cruft, rescued })
    }

    /// Writes the packs that do not exist yet; returns their names.
    pub fn write(&self, shop: &Workshop<'_>, repo: &Repository) -> Result<Vec<ObjectId>, Error> {
        let mut made = Vec::new();
        let wanted = [
            (self.standing_pack, &self.reachable, None),
            (self.standing_cruft, &self.unreachable, Some(&self.ages)),
        ];
        for (standing, found, ages) in wanted {
            if standing.is_some() || found.is_empty() {
                continue;
            }
            let items: Vec<Item> = PackLocations::of(shop.stock)?.items(repo, found)?;
            made.push(write::write(shop, items, ages)?.ok_or(Error::Interrupted)?);
        }
        Ok(made)
    }

    /// Reads the roots again: objects that became reachable meanwhile are kept in place.
    pub fn rescue(&mut self, scope: &Scope) -> Result<(), GitError> {
        let GcRoots { mut named, mentioned, has_broken_refs } = roots::read(scope)?;
        named.extend(mentioned);
        if has_broken_refs {
            named.extend(&self.expired);
        }
        named.retain(|id| !self.walk.has_seen(id));
        self.walk.follow_from(&named, Absent::PassedOver)?;
        for found in self.walk.take() {
            if self.expired.remove(&found.id) {
                self.rescued.insert(found.id);
            }
        }
        Ok(())
    }

    /// The packs that are no longer needed.
    pub fn doomed(&self, stock: &Stock) -> Vec<usize> {
        let stays = |at: usize| {
            let pack = &stock.packs[at];
            pack.is_kept()
                || [self.standing_pack, self.standing_cruft].contains(&Some(at))
                || self.rescued.iter().any(|id| pack.bundle.index.lookup(id).is_some())
        };
        (0..stock.packs.len()).filter(|at| !stays(*at)).collect()
    }

    /// Whether a loose object may be removed.
    pub fn leave(&self, id: &ObjectId) -> Leave {
        if self.expired.contains(id) {
            Leave::Expired
        } else if self.rescued.contains(id) {
            Leave::Stays
        } else if self.kept.contains(id) || self.walk.has_seen(id) {
            Leave::Elsewhere
        } else {
            Leave::Stays
        }
    }
}

struct Owned {
    /// Objects that may be repacked, with when they were last needed.
    ages: HashMap<ObjectId, i64>,
    /// Objects of packs that must not be touched.
    kept: HashSet<ObjectId>,
}

impl Owned {
    fn of(stock: &Stock) -> Self {
        let mut owned = Self { ages: HashMap::default(), kept: HashSet::default() };
        for pack in stock.packs.iter().filter(|pack| pack.is_kept()) {
            owned.kept.extend(pack.bundle.index.iter().map(|entry| entry.oid));
        }
        for pack in stock.packs.iter().filter(|pack| !pack.is_kept()) {
            for (entry, place) in pack.bundle.index.iter().zip(0..) {
                owned.put(entry.oid, pack.age_at(place));
            }
        }
        for loose in &stock.loose {
            owned.put(loose.id, loose.modified.0);
        }
        owned
    }

    fn put(&mut self, id: ObjectId, age: i64) {
        if !self.kept.contains(&id) {
            let known = self.ages.entry(id).or_insert(age);
            *known = age.max(*known);
        }
    }

    fn has(&self, found: &ReachedObject) -> bool {
        self.ages.contains_key(&found.id) || self.kept.contains(&found.id)
    }
}

/// The pack that holds exactly these objects. Of two the newer: a git process that made it is about to remove the
/// older.
fn standing(stock: &Stock, found: &[ReachedObject], is_right: impl Fn(&Pack) -> bool) -> Option<usize> {
    let is_exact = |pack: &Pack| {
        pack.len() == found.len()
            && is_right(pack)
            && found.iter().all(|found| pack.bundle.index.lookup(found.id).is_some())
    };
    let exact = (0..stock.packs.len()).filter(|at| is_exact(&stock.packs[*at]));
    exact.max_by_key(|at| stock.packs[*at].modified)
}

/// Whether the pack has a `.mtimes` file for its objects.
fn has_ages(pack: &Pack, ages: &HashMap<ObjectId, i64>) -> bool {
    matches!(pack.standing, PackKind::Cruft(_))
        && (0..)
            .zip(pack.bundle.index.iter())
            .all(|(at, entry)| ages.get(&entry.oid) == Some(&pack.age_at(at)))
}
