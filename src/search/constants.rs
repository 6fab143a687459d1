//! The constants of ranking and of the calibrated scale.
//!
//! Found by coordinate search on the development sets and rounded. The structure carries the gain: with textbook values
//! for all of them (k1 1.2, b 0.75) recall is lower by .005 to .07, most on very short entries. The shape of each formula stands where it is used.

/// The weight of the best piece's BM25 beside that of the whole item, which is 1.
pub const PIECE: f64 = 0.6;
/// The weight of the folder's BM25.
pub const FOLDER: f64 = 0.4;
/// The weights of the items one and two places away in the same folder: what belongs together is filed together.
pub const NEIGHBOURS: [f64; 2] = [0.35, 0.25];

/// BM25's `k1` and `b` for pieces.
pub const PIECE_BM25: (f64, f64) = (0.8, 0.5);
pub const ENTRY_BM25: (f64, f64) = (0.9, 0.6);
pub const FOLDER_BM25: (f64, f64) = (0.5, 0.6);

/// The weight of a word in the title of an item; 1 in its text.
pub const ENTRY_TITLE: f64 = 1.0;
/// The weight of a word in its meta field.
pub const ENTRY_META: f64 = 0.3;
/// The weight of a word in titles for the folder's score.
pub const FOLDER_TITLE: f64 = 0.2;
/// The weight of a word in meta fields for the folder's score.
pub const FOLDER_META: f64 = 0.1;

/// Added to the number of items in idf: a small tree shows little about which words are rare.
pub const PRIOR_ITEMS: f64 = 10.0;

/// The weight of a name in the lead of a piece: the subject or speaker of what follows.
pub const NAME_LEAD: f64 = 5.0;
pub const LEAD_K: f64 = 0.3;
/// A name's idf in leads counts up to this.
pub const LEAD_MOST: f64 = 1.0;

/// What a term near to a word without a match counts.
pub const NEAR_CREDIT: f64 = 0.7;

/// The weight of a date that matches, of the best score possible.
pub const DATE: f64 = 0.08;
/// How much a day shortly after the date counts.
pub const DATE_NEAR: f64 = 0.7;

/// Evidence that the tree covers the question: weights of score over the best possible, of the share of the question's
/// idf in the first item, of the share of its names, and of the logarithm of the question's idf in units of the
/// rarest word's.
pub const COVERED: [f64; 4] = [14.0, 1.0, 0.5, 1.0];
/// What is taken from it. It sets false alarms against what is found out of domain: 0.1 more finds .03 to .06 more and
/// raises alarms by .003 to .005.
pub const COVERED_LESS: f64 = 4.2;
/// In a large tree more is covered by chance: weight of ln(1 + pieces / 2000), taken from it.
pub const COVERED_SIZE: f64 = 0.3;
/// Covered evidence at which relevance reaches 0.85.
pub const COVERED_WELL: f64 = 0.25;
/// How much more for 0.99.
pub const COVERED_SPAN: f64 = 5.0;

/// Evidence that the first item is the right one: weights of its lead over the second, of the share of the question's
/// idf in it, and of the question's idf.
pub const RIGHT: [f64; 3] = [5.5, 5.5, 1.2];
/// What is taken from it. It sets the precision of direct answers against their number.
pub const RIGHT_LESS: f64 = 7.6;
/// Right evidence at which relevance reaches 0.85 with the gap that direct answers need.
pub const RIGHT_LOW: f64 = 0.0;
/// Right evidence at which relevance reaches 0.93.
pub const RIGHT_HIGH: f64 = 0.2;

/// The largest relevance of a question of function words only.
pub const VAGUE: f64 = 0.5;

/// Below this the question is outside the scope of what is stored.
pub const COVERS: f64 = 0.6;
/// From here on an entry is near to a question, even if nothing is certain.
pub const NEAR: f64 = 0.3;
/// A direct answer needs this relevance, and [`GAP`].
pub const DIRECT: f64 = 0.85;
/// By how much the first must lead.
pub const GAP: f64 = 0.08;
/// From here on a direct answer needs no gap.
pub const SURE: f64 = 0.93;

/// The weights of relevance, importance (of 100) and recency in the order of results.
pub const COMPOUND: [f64; 3] = [0.6, 0.25, 0.15];
pub const MOST_BOOST: f64 = 1.15;
