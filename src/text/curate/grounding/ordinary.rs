//! Words that name nothing, though a capital letter may begin them.
//!
//! At the start of a sentence any word has a capital letter. One that is not in the source is taken for a name there, unless
//! it is one of these, which are what people begin a statement with.

/// Beginnings of words, in lower case: a word with one of these, and an ending of grammar, is ordinary.
const STEMS: &str = "
    accept access account act add admin agree allow alter alway answer api appear append appl approach approv argument arrive ask
    assign assum attempt author automat avail avoid back base batch before begin begun behav belong block bound break bring build
    built call cach cancel cannot carr case caus change check choice choos chosen clean clear client close code collect combin come
    command commit common communicat compar complet compress comput condition config connect consist contain content continu control
    convert copied copy correct cost count cover creat critical current custom daily data date decid decision default defin delet
    deliver depend deploy deprecat describ design detect determin develop differ direct disab disallow discard display distinct
    distribut document don drop due duplicat dure each edit effect either email empty emit enab encod encourag end enforc engineer
    ensur entire entri environment equal error evaluat event every exact example exceed except exclud execut exist expand expect
    expir explain explicit export expos extend external fail fall false fast fetch field file fill filter final find finish fix flag
    folder follow forbid forbidd force form format found frequen full function further gener generat get give given global go good grant
    group grow guarant guard handl happen has hash have held hold host hourly how id identif identical if ignore immediat implement
    import improv includ increas index indicat individual inform inherit initial inject input insert inspect instal instanc instead
    integrat intend intern interval into introduc invalid involv issue item job join keep kept key kind know known label larg last
    later launch layer lead learn leav left length less let level librar limit line link list listen live load local locat lock log
    long look loss lost low made main maintain major make manag mandator manual many map mark match max mean measur member memor
    mention merg messag method might migrat min minim miss mod monitor month more most move multiple must name near need network never
    new next nightly no node none normal not note nothing notif now null number object obtain occur off offer old omit on one ongoing
    only open operat option order organi origin other output over overrid overwrit own owner packag page pair paralell parameter part
    pass password path pattern pause peak per perform period permission permit persist pick place plac plan point polic poll pool
    popul port position possib prefer prefix present preserv prevent previous primar print prior process produc production program
    prohibit project prompt protect provid publish pull purpose push put qualit quer question queue quick rais random rang rather raw
    reach read ready real reason rebuild receiv recent recommend record recover redirect reduc refer reflect refresh refus register
    regular reject relat releas rel reload remain remov renam render renew repeat replac repl report request requir reserv reset
    resol resourc respon restart restor restrict result retain retr return reus review revoke roll rotat round rout row rule run
    safe same sav schedul scope script search section secur select send sent separat serv service session set sever shar short should
    show shut sign similar simple since single size skip slow small so some sort source special specif split stag stand start stat
    stay step still stop stor strict string structur submit subscrib succeed success such suit supplied support suppos switch sync
    system tabl take taken target task team temporar test text than that then there therefore these they third this throttl throw
    time timeout to together token tool top total track traffic transact transfer transform transmit treat trigger trim true trust
    try tune turn two type typical uncommon under unique unit unknown unless unlock unset until up updat upgrad upload url usag use
    used user using usual valid valu variabl various verif version via view visib wait want warn was week weekly well when where
    whether which while who whole will window with within without work worker would wrap writ written wrong year yes yet you zero
";

/// Endings that grammar adds.
const ENDINGS: [&str; 24] = [
    "", "s", "e", "es", "ed", "d", "ing", "er", "ers", "ion", "ions", "ation", "ations", "y", "ies", "ied",
    "ly", "ting", "ted", "ning", "able", "al", "ment", "ity",
];

/// Whether a word, in lower case, names nothing.
pub(super) fn is_ordinary(word: &str) -> bool {
    STEMS.split_whitespace().any(|stem| word.strip_prefix(stem).is_some_and(|end| ENDINGS.contains(&end)))
}

#[cfg(test)]
mod tests {
    use super::is_ordinary;

    #[test]
    fn what_begins_a_statement_is_ordinary_and_a_name_is_not() {
        for word in [
            "requires",
            "stored",
            "requests",
            "running",
            "applies",
            "developers",
            "must",
            "retries",
            "generated",
        ] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in
            ["redis", "kafka", "postgres", "frankfurt", "kubernetes", "oracle", "monday", "ada", "terraform"]
        {
            assert!(!is_ordinary(word), "{word}");
        }
    }
}
