//! Words of everyday English: a question may well use another of them than the text that answers it.
//!
//! `stop`, `keep`, `want`, `wrong` carry some meaning, so they are not function words; but that an entry lacks one says
//! little about whether it answers. Names, nouns of a subject and identifiers are never among them.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use brv_text::words::stems::Fnv;

/// Whether a word (in lower case) is one of them.
pub fn contains(word: &str) -> bool {
    static COMMON: OnceLock<HashSet<&str, BuildHasherDefault<Fnv>>> = OnceLock::new();
    COMMON.get_or_init(|| WORDS.split_ascii_whitespace().collect()).contains(word)
}

const WORDS: &str = "\
    able accept accepted actual actually add added adding affect afterwards ago ahead allow allowed \
    allows almost alone alright anybody anymore anyone anything anyway anywhere appear appears applied \
    applies apply arrive arrives ask asked asks avoid away back bad badly based basically become becomes \
    begin begins behave behaves behavior behaviour believe belong belongs best better big bit both \
    bother break breaks bring brings broken build built call called care case cases cause causes certain \
    chance change changed changes changing cheap check checks choose clean clear clearly close come \
    comes coming common complain complains complete completely consider contain contains correct \
    correctly cost costs count couple cover create created creates creating cut day days deal decide \
    default depend depends describe detail details differ difference different differently difficult \
    directly disappear disappears easily easy effect either empty enable enough ensure entire entirely \
    especially even event eventually everybody everyone everything everywhere exact exactly example \
    except exist existing exists expect expected expects explain explicitly extra face fact fail failed \
    fails fall falls false far fast find finds fine finish finished first fit fix fixed follow following \
    force form found free full fully further future generally given goes gone good great half hand \
    handle handled handles handling happen happened happening happens hard hear help helps hide high hit \
    hold holds home hope huge idea ignore ignored ignores immediately important include included \
    includes including inside instead intend interested involved issue issues job keep keeps kept kind \
    know known large last late later latest lead leads learn least leave leaves leaving left less like \
    likely limit line list little live lives long longer look looking looks lose loses lost lot lots low \
    made main mainly major make makes making manage many mark matter matters maybe mean meaning means \
    meant mention mentioned middle mind minimum mistake moment month months move much multiple name \
    named names near nearly necessary need needed needs never new next nice nobody none normal normally \
    nothing notice number obtain obvious occur occurs offer often okay old ones onto open opens option \
    order ordinary original originally otherwise outside overall pair part particular parts pass passed \
    passes people perhaps person pick picks piece place places plain please plenty point points possible \
    possibly practice prefer prevent previous previously print prints problem problems produce produces \
    program programs proper properly provide provided provides purpose put puts question quick quickly \
    quiet quite reach reaches read reads ready real really reason reasons receive received recent \
    recommended refuse refuses regular relevant remain remains remember remove removed replace require \
    required requires reset rest result results return returned returns right risk role rule rules run \
    running runs safe safely said save say says second see seem seems seen send sends sense sent \
    separate serious set sets setting several short show shown shows side silently similar simple simply \
    single sit situation size skip skips slow slower small smaller somebody someone something sometimes \
    somewhere soon sort sorts special specific stand stands start started starts stay stays step still \
    stop stopped stops straight strange stuff style succeed suddenly suggest suit support supported \
    supports suppose supposed sure surprise survive switch talk team tell tells terms thing things think \
    third thought times together told tool tools top total touch treat tried tries trigger triggers \
    trouble true try trying turn turned turns twice type types understand unless unlike useful useless \
    user users usual usually value values various vary version versions visible wait waits want wanted \
    wants watch way ways week weeks went whatever whenever wherever whole wide wish wonder word words \
    work worked working works world worry worse worst worth write writes writing written wrong year \
    years yet zero";
