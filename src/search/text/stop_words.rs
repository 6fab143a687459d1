//! Function words of the six languages: they show a text's language, and carry no meaning in a question.
//!
//! Negations of English are among them because ranking gains nothing from `not`; whether two questions mean the same is
//! decided elsewhere, with other lists. Texts are indexed with all their words, so that a question of nothing but
//! function words still finds what has them. Comparing texts ([`brv_text::words`]) needs no languages, and has a list of its
//! own.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use brv_text::words::stems::{Fnv, Language};

/// The languages in which a word (in lower case) is a function word, as bits by the numbers of [`Language::ALL`].
pub fn languages(word: &str) -> u8 {
    static WORDS: OnceLock<HashMap<&str, u8, BuildHasherDefault<Fnv>>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let mut words: HashMap<_, u8, _> = HashMap::default();
        for (number, list) in LISTS.iter().enumerate() {
            for word in list.split_ascii_whitespace() {
                *words.entry(word).or_default() |= 1 << number;
            }
        }
        words
    });
    words.get(word).copied().unwrap_or(0)
}

/// Whether a word (in lower case) is a function word of this language.
pub fn contains(word: &str, language: Language) -> bool {
    languages(word) >> (language as u8) & 1 == 1
}

/// By the numbers of [`Language::ALL`]. English also has the verbs with which one asks (`describe`, `explain`).
const LISTS: [&str; 6] = [
    // English
    "a about above across after again against all along also although am among an and another any are \
     arent around as at away be became because become been before behind being below between both but by \
     can cannot cant could couldnt did didnt do does doesnt doing dont done down during each either else \
     ever every few for from further get gets getting give gives gave go goes going got had hadnt has \
     hasnt have havent having he hed hell her here hers herself hes him himself his how however i id if \
     ill im in into is isnt it its itself ive just know let lets may me might mightnt more most much must \
     mustnt my myself neither no nor not now of off on once one only onto or other our ours ourselves out \
     over own per please rather shall shant she shed shes should shouldnt since so some such take taken \
     takes tell than that thats the their theirs them themselves then there theres these they theyd \
     theyll theyre theyve this those through thus to too took toward towards under until up upon us use \
     used uses using very via was wasnt we wed well went were werent weve what whatever whats when \
     whenever where wheres whether which while who whoever whom whos whose why will with within without \
     wont would wouldnt yes yet you youd youll your youre yours yourself yourselves youve describe eg etc \
     explain ie vs",
    // German
    "aber alle allem allen aller alles als also am an andere auch auf aus bei beim bin bis bist da damit \
     dann das dass dein deine dem den denn der des dessen die dies diese diesem diesen dieser dieses doch \
     dort du durch ein eine einem einen einer eines er es etwas euch für gegen hab habe haben hat hatte \
     hier ich ihm ihn ihr ihre im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine können \
     man mehr mein mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine sich sie sind so \
     soll sondern über um und uns unser unter vom von vor war wann warum was weil welche welchem welchen \
     welcher welches wenn wer werden wie wieder wieso wieviel wieviele wir wird wo wofür womit wurde wurden zu zum zur",
    // French
    "ai alors au aucun aux avec avoir avons ce cela ces cet cette chez combien comme comment dans de depuis des \
     donc du elle elles en encore entre es est et étaient était être eu eux fait faire fois il ils je la \
     le les leur leurs lors lui ma mais me même mes moi mon ne ni nos notre nous on ont où ou par pas \
     peut plus pour pourquoi quand que quel quelle quelles quels qui quoi sa sans se sera ses si son sont \
     sous sur ta te tes toi ton tous tout toute toutes très tu un une vos votre vous été",
    // Spanish
    "al algo ante antes aquí así cada como cómo con contra cual cuál cuáles cuando cuándo cuánta cuántas cuánto cuántos de del desde donde \
     dónde durante el él ella ellas ellos en entre era es esa ese eso esta está están estas este esto \
     estos fue ha han hasta hay la las le les lo los más me mi mientras muy nada ni no nos nosotros o \
     otra otro para pero por porque pues que qué quien quién se sea ser si sí sin sobre son su sus \
     también tan tanto te tiene tienen todo todos tu un una unas uno unos y ya yo",
    // Portuguese
    "a ao aos aquela aquele as às até cada com como da das de dela dele deles depois do dos e é ela elas \
     ele eles em entre era essa esse esta está estão este eu foi foram há isso isto já lhe mais mas me \
     mesmo meu minha muito na não nas nem no nos nós o onde os ou para pela pelas pelo pelos por porque \
     qual quais quando quanta quantas quanto quantos que quem são se sem ser seu seus só sobre sua suas também te tem têm um uma umas uns \
     você vocês",
    // Russian
    "без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его \
     ее её если есть еще ещё же за здесь и из или им их к как какая какие какой когда который которая \
     которые кто ли либо между меня мне мой мы на над надо наш не него нее нет ни них но ну о об однако \
     он она они оно от по под почему при с сколько со так также такой там те тем то того тоже той только том ты у \
     уже хотя чего чем что чтобы эта эти этих это этого этой этот я",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_knows_its_languages() {
        assert!(contains("the", Language::English) && !contains("the", Language::German));
        assert!(contains("für", Language::German) && contains("чтобы", Language::Russian));
        assert_eq!(languages("token"), 0);
        assert_eq!(languages("que"), 0b01_1100);
    }
}
