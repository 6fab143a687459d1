//! Function words, which do not show what a text is about.
//!
//! English, German, French, Spanish, Portuguese, Italian, Dutch and Russian in one list; other languages need none,
//! since words that occur everywhere weigh little by their frequency anyway. Search has lists of its own, one per
//! language and with the words of questions: one list for both would change results.

use std::sync::LazyLock;

use brv_base::content::fnv;

/// The slots of the table of hashes: three times as many as words, so that most searches end at the first slot.
const SLOTS: usize = 2048;

/// Whether a word (in lower case, given by its hash) is a function word.
pub(super) fn contains(word: u64) -> bool {
    static HASHES: LazyLock<Box<[u64; SLOTS]>> = LazyLock::new(|| {
        let mut slots = Box::new([0; SLOTS]);
        for hash in STOP_WORDS.iter().map(|word| fnv(word.bytes())) {
            let free = slots_from(hash).find(|at| slots[*at] == 0).expect("there are more slots than words");
            slots[free] = hash;
        }
        slots
    });
    let hashes = &**HASHES;
    let end = slots_from(word).find(|at| hashes[*at] == word || hashes[*at] == 0);
    word != 0 && end.is_some_and(|at| hashes[at] == word)
}

/// All slots, beginning with the one where the search for a hash begins.
fn slots_from(hash: u64) -> impl Iterator<Item = usize> {
    let first = hash as usize % SLOTS;
    (first..SLOTS).chain(0..first)
}

#[rustfmt::skip]
const STOP_WORDS: [&str; 702] = [
    "aan", "aber", "about", "above", "after", "again", "against", "ai", "al", "algo", "all", "alla", "alle",
    "allem", "allen", "aller", "alles", "als", "also", "although", "always", "am", "among", "an", "anche",
    "and", "andere", "another", "ante", "antes", "any", "ao", "aos", "are", "around", "as", "at", "au",
    "auch", "auf", "aus", "aux", "avec", "be", "became", "because", "been", "before", "bei", "beim",
    "being", "below", "between", "bij", "bin", "bis", "bist", "both", "but", "by", "can", "cannot", "ce",
    "ces", "cette", "che", "chi", "ci", "com", "come", "comme", "como", "con", "contra", "could", "cual",
    "cuando", "cui", "da", "dal", "dalla", "damit", "dan", "dann", "dans", "das", "dass", "dat", "de",
    "degli", "dei", "dein", "del", "dela", "dele", "della", "delle", "dem", "den", "denn", "der", "des",
    "desde", "dessen", "deze", "di", "did", "die", "dies", "diese", "diesem", "diesen", "dieser", "dieses",
    "dit", "do", "doch", "does", "doing", "donc", "donde", "done", "door", "dort", "dos", "dove", "down",
    "du", "durante", "durch", "during", "dus", "each", "een", "ein", "eine", "einem", "einen", "einer",
    "eines", "either", "el", "ela", "ele", "eles", "ella", "ellas", "elle", "elles", "ellos", "else", "em",
    "en", "enough", "entre", "er", "era", "es", "esa", "ese", "eso", "essa", "esse", "est", "esta", "estas",
    "este", "esto", "estos", "está", "están", "et", "etc", "etwas", "eu", "euch", "eux", "even", "ever",
    "every", "few", "first", "foi", "for", "from", "fue", "further", "für", "gegen", "get", "gets", "give",
    "given", "gli", "go", "goes", "ha", "hab", "habe", "haben", "had", "hanno", "has", "hasta", "hat",
    "hatte", "have", "having", "hay", "he", "hence", "her", "here", "hers", "herself", "het", "hier", "hij",
    "him", "himself", "hinter", "his", "hoe", "how", "however", "ich", "if", "ihm", "ihn", "ihr", "ihre",
    "ik", "il", "ils", "im", "in", "indeed", "ins", "instead", "into", "io", "is", "isso", "ist", "isto",
    "it", "its", "itself", "ja", "je", "jede", "jedem", "jeden", "jeder", "jedes", "jetzt", "just", "já",
    "kan", "kann", "keep", "kein", "keine", "kept", "know", "known", "können", "la", "las", "last", "later",
    "le", "least", "lei", "les", "less", "let", "leur", "leurs", "like", "likely", "lo", "loro", "los",
    "lui", "ma", "maar", "made", "mais", "make", "makes", "man", "many", "mas", "may", "me", "meer", "mehr",
    "mein", "mes", "mesmo", "met", "mi", "mientras", "might", "mijn", "mine", "mit", "moet", "mon", "more",
    "most", "mostly", "much", "muito", "muss", "must", "muy", "my", "myself", "más", "même", "na", "naar",
    "nach", "nada", "nas", "ne", "nei", "neither", "nel", "nella", "nem", "never", "next", "ni", "nicht",
    "nichts", "niet", "no", "noch", "nog", "noi", "non", "none", "nor", "nos", "nosotros", "nostro", "not",
    "nothing", "notre", "nous", "now", "nu", "nun", "nur", "não", "ob", "oder", "of", "off", "often",
    "ohne", "om", "on", "once", "onder", "one", "only", "ont", "onto", "ook", "op", "or", "os", "other",
    "others", "otherwise", "otra", "otro", "ou", "our", "ours", "out", "over", "own", "où", "par", "para",
    "pas", "pela", "pelas", "pelo", "pelos", "per", "perché", "perhaps", "pero", "più", "please", "plus",
    "poco", "por", "porque", "pour", "put", "qu", "quale", "quando", "que", "quello", "quem", "questa",
    "questo", "qui", "quien", "rather", "sa", "same", "sans", "say", "says", "se", "sea", "see", "seem",
    "seems", "sehr", "sein", "seine", "sem", "ser", "ses", "seu", "seus", "several", "shall", "she",
    "should", "si", "sia", "sich", "sie", "sin", "since", "sind", "so", "sobre", "soll", "some",
    "something", "sometimes", "son", "sondern", "sono", "sont", "soon", "sous", "still", "su", "sua",
    "suas", "such", "sul", "sulla", "suo", "sur", "sus", "são", "sí", "só", "ta", "take", "taken",
    "también", "também", "tanto", "te", "tem", "tes", "than", "that", "the", "their", "theirs", "them",
    "themselves", "then", "there", "therefore", "these", "they", "thing", "things", "this", "those",
    "though", "through", "thus", "ti", "tiene", "to", "todo", "todos", "together", "toi", "ton", "too",
    "tot", "tous", "tout", "toute", "toutes", "toward", "tra", "tu", "two", "uit", "um", "uma", "un", "una",
    "und", "under", "une", "unless", "uno", "unos", "uns", "unter", "until", "up", "upon", "us", "use",
    "used", "uses", "using", "usually", "van", "veel", "very", "vi", "via", "você", "vom", "von", "voor",
    "vor", "vos", "votre", "vous", "want", "war", "was", "wat", "way", "we", "weil", "weiter", "wel",
    "welche", "well", "wenn", "wer", "werden", "were", "what", "whatever", "when", "whenever", "where",
    "whether", "which", "while", "who", "whole", "whom", "whose", "why", "wie", "wieder", "wij", "will",
    "wir", "wird", "with", "within", "without", "wo", "word", "worden", "wordt", "would", "ya", "yes",
    "yet", "you", "your", "yours", "ze", "zich", "zij", "zijn", "zo", "zonder", "zou", "zu", "zum", "zur",
    "às", "été", "être", "über", "без", "бы", "был", "была", "были", "было", "быть", "вам", "вас", "весь",
    "во", "вот", "все", "всего", "всех", "вы", "где", "да", "даже", "для", "до", "его", "ее", "если",
    "есть", "еще", "же", "за", "здесь", "из", "или", "им", "их", "как", "когда", "кто", "ли", "либо",
    "между", "мне", "может", "мы", "на", "над", "надо", "наш", "не", "него", "нее", "нет", "ни", "них",
    "но", "ну", "об", "однако", "он", "она", "они", "оно", "от", "по", "под", "при", "со", "так", "также",
    "такой", "там", "те", "тем", "то", "того", "тоже", "той", "только", "том", "ты", "уже", "хотя", "чего",
    "чем", "что", "чтобы", "эта", "эти", "это",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_of_several_languages_are_known_and_others_not() {
        let is_one = |word: &str| contains(fnv(word.bytes()));
        assert!(STOP_WORDS.into_iter().all(is_one));
        assert!(is_one("the") && is_one("für") && is_one("чтобы") && !is_one("token"));
    }
}
