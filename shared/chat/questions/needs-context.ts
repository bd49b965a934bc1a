import { toContentWords } from "../../knowledge/search/content-words.ts";
import { detectLanguage } from "../../lib/language/languages.ts";

/** Maximum length of a question that can be incomplete. Longer questions usually contain what they refer to. */
const MAX_FOLLOW_UP_CHARACTERS = 300;

/** Maximum length of an incomplete question in scripts without spaces, such as Chinese. */
const MAX_SHORT_CHARACTERS = 6;

/** Words of one language with which a question refers to the conversation before it. */
interface FollowUpForms {
  /** Openings of questions that continue an earlier one, such as "and" or "what about". */
  readonly openings: RegExp;
  /** Pronouns and other words whose antecedent may be in an earlier message. */
  readonly references: RegExp;
  /** Phrases in which these words have no antecedent, such as "is it possible". */
  readonly exceptions?: RegExp;
}

const pattern = (words: string, flags = "giu") =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, flags);
const opening = (words: string) => new RegExp(`^[¿¡("\\s]*(?:${words})(?![\\p{L}\\p{N}])`, "iu");

const forms: Readonly<Record<string, FollowUpForms>> = {
  en: {
    openings: opening(
      "and|but|or|so|then|also|what about|how about|what if|what else|who else|where else|same|anything else|any other|another|tell me more|more|continue|why not|how so|how come|(?:since when|until when|by when|for whom|by whom|at what)(?=\\s*[?.!]*$)|only|even|except|instead|(?:for|in|with|without|on|at|during|under)(?!.*\\b(?:is|are|was|were|do|does|did|can|will|must|should|have|has|may|need)\\b)",
    ),
    references: pattern(
      "it|its|they|them|their|theirs|he|him|his|she|her|hers|these|those|former|latter|the same|the others?|the (?:first|second|third|last|other)(?: one)?(?=\\s*[?.!]*$)|(?:that|this|which|the) ones?|this|there(?=\\s*[?.!]*$)|(?:from|in|over|get|go|stay|live|work|pay) there|(?:(?:about|of|for|with|to|in|from|like|than|after|before|is|was|does|did|do|are|by|on|at|why|how|under|without|can|will|would) )that|that(?=\\s*[?.!]*$)|else|above|earlier|previous|instead|afterwards|so(?=\\s*[?.!]*$)",
    ),
    exceptions: pattern(
      "it (?:possible|true|allowed|ok|okay|safe|necessary|legal|mandatory|required|permitted|better|normal)|is it (?:\\w+ ){1,2}(?:to|that|if|for)|it (?:takes?|took|costs?)(?= .*\\bto )|this (?:year|week|month|quarter|morning|afternoon|evening|time|summer|winter|spring|autumn|company|organization)|so (?:that|much|many)",
    ),
  },
  de: {
    openings: opening(
      "und|aber|oder|also|auch|dann|sonst|was ist mit|wie ist (?:es|das)|wie sieht es|wie steht es|wie wäre|gilt das|warum nicht|wieso|weshalb|(?:seit wann|bis wann|ab wann|für wen)(?=\\s*[?.!]*$)|mehr|weiter|nur|noch|(?:für|in|im|mit|ohne|bei|beim|auf|an|am|während|unter)(?!.*\\b(?:ist|sind|war|hat|haben|kann|können|muss|müssen|darf|dürfen|gilt|gibt|wird|werden|bekomm\\p{L}*)\\b)",
    ),
    references: pattern(
      "er|es|sie|ihn|ihm|ihnen|ihre?[rnms]?|seine?[rnms]?|diese[rnms]?|jene[rnms]?|davon|dafür|damit|dazu|daran|darauf|daraus|dabei|darin|dagegen|darüber|danach|dort|dorthin|deren|dessen|solche[rnms]?|das(?=\\s*[?.!]*$)|(?:ist|geht|gilt|kostet|wie|warum|wann|wo) das(?=[\\s?]*$| )(?! \\p{Lu})",
      "gu",
    ),
    exceptions: pattern(
      "gibt es|es gibt|geht es um|es (?:möglich|erlaubt|nötig|wahr)|diese[ns]? (?:Jahr|Woche|Monat|Quartal)",
      "giu",
    ),
  },
  fr: {
    openings: opening(
      "et|mais|ou|alors|aussi|qu'en est-il|pourquoi pas|(?:depuis quand|jusqu'à quand|pour qui)(?=\\s*[?.!]*$)|quoi d'autre|plus|encore|même chose|(?:pour|dans|avec|sans|chez|pendant)(?!.*\\b(?:est|sont|a|ont|peut|peuvent|doit|doivent|faut|puis|dois|peux)\\b)",
    ),
    references: pattern(
      "il|elle|ils|elles|eux|lui|leurs?|celui|celle|ceux|celles|cela|ça|ce(?:t|tte|s)? (?!que|qui)\\p{L}+|là|y compris|le même|la même|les mêmes|en",
    ),
    exceptions: pattern(
      "il y a|y a-t-il|il faut|faut-il|est-il (?:possible|permis|vrai)|est-ce|qu'est-ce|cette (?:année|semaine)|ce mois|en (?=\\p{L})",
    ),
  },
  es: {
    openings: opening(
      "y|pero|o|entonces|también|qué pasa con|qué hay de|por qué no|(?:desde cuándo|hasta cuándo|para quién)(?=\\s*[?.!]*$)|qué más|más|lo mismo|(?:para|en|con|sin|durante)(?!.*\\b(?:es|son|está|están|hay|puedo|puede|pueden|debo|debe|deben|tengo|tiene|tienen)\\b)",
    ),
    references: pattern(
      "él|ella|ellos|ellas|sus?|este|esta|estos|estas|ese|esa|esos|esas|eso|esto|aquel|aquello|aquella|allí|ahí|les?|el mismo|la misma|[\\p{L}]+(?:ar|er|ir)(?:lo|la|los|las)",
    ),
    exceptions: pattern("est[ea] (?:año|semana|mes|trimestre)"),
  },
  it: {
    openings: opening(
      "e|ed|ma|o|allora|anche|che ne è|perché no|(?:da quando|fino a quando|per chi)(?=\\s*[?.!]*$)|che altro|altro|di più|lo stesso|(?:per|in|con|senza|durante)(?!.*\\b(?:è|sono|posso|può|possono|devo|deve|devono|ho|ha|hanno|c'è)\\b)",
    ),
    references: pattern(
      "ess[oaie]|lui|lei|loro|su[oa]|suoi|sue|quest[oaie]|quell[oaie]|quei|quegli|quel|ciò|lì|là|stess[oaie]|\\p{L}+(?:ar|er|ir)l[oaie]",
    ),
    exceptions: pattern("quest[oa] (?:anno|settimana|mese|trimestre)"),
  },
  pt: {
    openings: opening(
      "e|mas|ou|então|também|que tal|por que não|(?:desde quando|até quando|para quem)(?=\\s*[?.!]*$)|o que mais|mais|o mesmo|(?:para|em|no|na|com|sem|durante)(?!.*\\b(?:é|são|está|estão|há|posso|pode|podem|devo|deve|devem|tenho|tem|têm)\\b)",
    ),
    references: pattern(
      "el[ea]s?|del[ea]s?|nel[ea]s?|seus?|suas?|est[ea]s?|ess[ea]s?|isso|isto|aquel[ea]s?|aquilo|disso|nisso|lá|mesm[oa]s?",
    ),
    exceptions: pattern("est[ea] (?:ano|semana|mês|trimestre)"),
  },
  nl: {
    openings: opening(
      "en|maar|of|dus|ook|dan|hoe zit het|wat dacht je|waarom niet|(?:sinds wanneer|tot wanneer|voor wie)(?=\\s*[?.!]*$)|wat nog|meer|hetzelfde|(?:voor|in|met|zonder|bij|tijdens)(?!.*\\b(?:is|zijn|heeft|hebben|kan|kunnen|moet|moeten|mag|mogen|krijg\\p{L}*)\\b)",
    ),
    references: pattern(
      "hij|hem|zij|ze|haar|hun|dit|dat|deze|die|daar|ervan|daarvan|daarvoor|daarmee|ervoor|hetzelfde|dezelfde|zo'n|(?:is|kost|duurt|werkt|gaat) het(?=\\s*[?.!]*$| lang| veel)",
    ),
    exceptions: pattern("(?:deze|dit) (?:week|maand|jaar|kwartaal)|\\p{L}+ (?:die|dat) (?=\\p{L}+)"),
  },
  pl: {
    openings: opening(
      "a|i|ale|lub|albo|więc|też|co z|a co|dlaczego nie|(?:od kiedy|do kiedy|dla kogo)(?=\\s*[?.!]*$)|co jeszcze|więcej|to samo",
    ),
    references: pattern(
      "ona?|oni|one|jego|jej|ich|nim|nią|nich|niego|niej|go|ją|im|ten|tego|tej|tych|tym|to|te|tam|taki[me]?|taka",
    ),
    exceptions: pattern("w tym (?:roku|tygodniu|miesiącu)|czy to prawda"),
  },
  ru: {
    openings: opening(
      "а|и|но|или|тогда|также|что насчёт|что насчет|как насчёт|как насчет|почему нет|(?:с каких пор|до каких пор|для кого)(?=\\s*[?.!]*$)|что ещё|что еще|ещё|еще|больше|то же",
    ),
    references: pattern(
      "он|она|оно|они|его|её|ее|их|ему|ей|ими|нём|нем|ней|них|него|неё|нее|этот|эта|это|эти|этого|этой|этих|этом|тот|та|те|того|тех|там|туда|такой|такая|такие|то же",
    ),
    exceptions: pattern("в этом (?:году|месяце)|на этой неделе"),
  },
  sv: {
    openings: opening(
      "och|men|eller|då|också|hur är det med|vad gäller för|varför inte|(?:sedan när|till när|för vem)(?=\\s*[?.!]*$)|vad mer|mer|samma",
    ),
    references: pattern(
      "den(?=\\s*[?.!]*$)|han|hon|honom|henne|hans|hennes|dem|deras|dess|denna|detta|dessa|där|samma",
    ),
  },
  da: {
    openings: opening(
      "og|men|eller|så|også|hvad med|hva med|hvorfor ikke|(?:siden hvornår|indtil hvornår|for hvem)(?=\\s*[?.!]*$)|hvad mere|mere|samme",
    ),
    references: pattern(
      "den(?=\\s*[?.!]*$)|han|hun|ham|hende|hans|hendes|dem|deres|dens|dets|denne|dette|disse|der(?=\\s*[?.!]*$)|samme",
    ),
  },
  ja: {
    openings:
      /^(?:では|じゃあ?|それ|そ[のこう]|この|あの|こ[こう]|あれ|これ|なぜ|どうして|いつ|どこ|誰|いくら|また|他に|ほかに|もっと)/u,
    references:
      /(?:それ|その|そこ|これ|この|あれ|あの|彼|彼女|同じ)|^[^。？?]{1,14}は[？?]$|^[^。？?]{1,10}の場合は?[？?]?$/u,
  },
  zh: {
    openings:
      /^(?:那|还有|另外|为什么[？?]?$|为何[？?]?$|多少|多久[？?]?$|什么时候[？?]?$|谁[？?]?$|哪里[？?]?$|更多|继续|然后)/u,
    references: /(?:它|他|她|这个|那个|这些|那些|这种|那种|其中|其(?!他|它)|此|同样)|呢[？?]?$/u,
  },
  ko: {
    openings: /^(?:그럼|그러면|그리고|그런데|하지만|왜|얼마|언제|또|더)/u,
    references: /(?:그것|이것|저것|그는|그녀|그들|거기|여기|같은)|^[^.?]{1,12}(?:은|는)요?[?]$/u,
  },
};
// Norwegian and Danish have the same forms.
const sharedForms: Readonly<Record<string, string>> = { no: "da" };

/** Matches Polish, which `detectLanguage` does not detect. */
const polish =
  /[ąćęłńśźż]|^(?:a|i)\s+(?:co|dla|jak|kiedy|gdzie|czy|ile|w|na|z|u)\b|\b(?:jak|czy|jest|ile|gdzie|kiedy|dlaczego)\b/iu;

function findForms(text: string): FollowUpForms | undefined {
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return forms.ja;
  if (/\p{sc=Hangul}/u.test(text)) return forms.ko;
  if (/\p{sc=Han}/u.test(text)) return forms.zh;
  if (/\p{sc=Cyrillic}/u.test(text)) return forms.ru;
  if (polish.test(text)) return forms.pl;
  const language = detectLanguage(text);
  return forms[sharedForms[language] ?? language];
}

/** Words and punctuation that begin another clause, which can refer to the clause before it. */
const clauseBoundary =
  /[,;]|(?<=\S\s)(?:and|when|if|before|after|while|then|once|because|until|und|wenn|falls|bevor|nachdem|et|quand|si|y|cuando|e|quando|se|en|als|i|gdy|и|когда|если|och|när|og|når)\s/iu;

/** Returns true if the question has enough words before a pronoun to contain its antecedent. */
function hasAntecedent(question: string, index: number): boolean {
  const before = question.slice(0, index);
  const words = toContentWords(before, detectLanguage(question)).length;
  return words >= 4 || (words >= 2 && clauseBoundary.test(before));
}

const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

/** Returns true if a text has a content word, and not only function words such as "how" and "is". */
export const hasSubject = (text: string): boolean => toContentWords(text, detectLanguage(text)).length > 0;

/** Returns true if a text has at most one content word, or six characters in scripts without spaces. */
function isShort(question: string): boolean {
  if (withoutSpaces.test(question)) return [...question.replace(/[\s\p{P}]/gu, "")].length <= MAX_SHORT_CHARACTERS;
  const language = detectLanguage(question);
  return toContentWords(question, language).length <= 1;
}

/**
 * Returns true if a question can probably not be understood without earlier messages: it continues a sentence, has a
 * pronoun without antecedent, or is very short. Uses rules only. In doubt returns true, because an unnecessary rewrite
 * costs less than a search for the wrong subject.
 * @param previous the question before it. It helps to detect the language, for which a few words do not suffice
 */
export function needsContext(question: string, previous = ""): boolean {
  const text = question.trim().normalize("NFC");
  if (text.length > MAX_FOLLOW_UP_CHARACTERS) return false;
  if (isShort(text)) return true;
  const candidates = new Set([findForms(text), findForms(`${previous.slice(-MAX_FOLLOW_UP_CHARACTERS)} ${text}`)]);
  return [...candidates].some((language) => {
    if (!language) return false;
    if (language.openings.test(text)) return true;
    const cleaned = language.exceptions ? text.replace(language.exceptions, (match) => " ".repeat(match.length)) : text;
    const reference = cleaned.search(language.references);
    return reference >= 0 && !hasAntecedent(text, reference);
  });
}
