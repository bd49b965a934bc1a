import { detectLanguage } from "../../lib/language/languages.ts";

/** Kind of message that needs no knowledge: small talk, or a question about the assistant itself. */
type Intent = "greeting" | "thanks" | "farewell" | "self";

/** Maximum length of a message that is checked for small talk. */
const MAX_MESSAGE_CHARACTERS = 120;

/** Patterns that match a whole message without punctuation, by language and intent. */
const patterns: Readonly<Record<string, Readonly<Record<Intent, RegExp>>>> = {
  en: {
    greeting:
      /^(?:hi|hello|hey|howdy|hi there|hello there|good (?:morning|afternoon|evening)|how are you(?: doing)?(?: today)?)$/,
    thanks:
      /^(?:thanks|thank you|thx|cheers|many thanks|great thanks|ok thanks|ok thank you)(?: (?:a lot|so much|very much))?$/,
    farewell: /^(?:bye|goodbye|bye bye|see you|see you later|good night)$/,
    self: /^(?:(?:so )?what (?:can|do) you do(?: for me)?(?: here)?|what can i do(?: here| with (?:this|you|it))?|what are you(?: able to do| capable of)?|who are you|who made you|how (?:can|could) you help(?: me)?|how do you work|what is this|what are your (?:capabilities|features|abilities)|are you (?:a |an )?(?:human|bot|robot|ai|real)|(?:can you )?help(?: me)?(?: please)?|tell me about yourself|introduce yourself|what (?:s|is) your name|what model are you)$/,
  },
  de: {
    greeting: /^(?:hallo|guten (?:tag|morgen|abend)|servus|moin|grüß gott|wie geht(?: e| )?s(?: dir| ihnen)?)$/,
    thanks: /^(?:danke|vielen dank|danke schön|dankeschön|besten dank)$/,
    farewell: /^(?:tschüss|tschüß|auf wiedersehen|bis bald|gute nacht)$/,
    self: /^(?:was (?:kannst du|können sie)(?: alles)?(?: (?:tun|machen))?(?: für mich)?|wer (?:bist du|sind sie)|was (?:bist du|sind sie)|wie (?:kannst du|können sie) (?:mir )?helfen|wie (?:funktionierst du|funktionieren sie)|(?:ich brauche )?hilfe|stell dich vor|wie hei(?:ß|ss)t du|wie hei(?:ß|ss)en sie|was kann ich hier (?:tun|machen))$/,
  },
  es: {
    greeting: /^(?:hola|buenos días|buenas tardes|buenas noches|qué tal|cómo estás|cómo está)$/,
    thanks: /^(?:gracias|muchas gracias)$/,
    farewell: /^(?:adiós|hasta luego|hasta pronto)$/,
    self: /^(?:qué (?:puedes|puede|sabes|sabe) hacer(?: por mí)?|quién (?:eres|es usted)|qué (?:eres|es usted)|cómo (?:puedes|puede) ayudar(?:me)?|cómo funcionas|cómo te llamas|ayuda)$/,
  },
  fr: {
    greeting: /^(?:bonjour|salut|bonsoir|coucou|comment (?:ça va|vas tu|allez vous)|ça va)$/,
    thanks: /^(?:merci|merci beaucoup)$/,
    farewell: /^(?:au revoir|à bientôt|bonne nuit)$/,
    self: /^(?:(?:que|qu est ce que tu|qu est ce que vous) (?:peux tu|pouvez vous|sais tu|savez vous|peux|pouvez|sais|savez) faire|qui (?:es tu|êtes vous)|qu es tu|comment (?:t appelles tu|tu t appelles|vous appelez vous)|comment (?:peux tu|pouvez vous) m aider|aide|aidez moi)$/,
  },
  it: {
    greeting: /^(?:ciao|buongiorno|buonasera|salve|come (?:stai|sta))$/,
    thanks: /^(?:grazie|grazie mille|molte grazie)$/,
    farewell: /^(?:arrivederci|a presto|buonanotte)$/,
    self: /^(?:(?:che )?cosa (?:puoi|può|sai|sa) fare(?: per me)?|chi (?:sei|è)|come (?:puoi|può) aiutarmi|come funzioni|come ti chiami|aiuto)$/,
  },
  pt: {
    greeting: /^(?:olá|oi|bom dia|boa tarde|boa noite|como (?:está|vai))$/,
    thanks: /^(?:obrigado|obrigada|muito obrigado|muito obrigada)$/,
    farewell: /^(?:adeus|tchau|até logo|até breve)$/,
    self: /^(?:o que (?:você )?(?:pode|podes|sabe|sabes|consegue) fazer(?: por mim)?|quem (?:és|é você)|como (?:pode|podes) ajudar(?: me)?|como (?:te chamas|você se chama)|ajuda)$/,
  },
};

/** Beginnings of thanks and ends of farewells, which make a short sentence without a question one of them. */
const sentences: Readonly<Record<string, Readonly<Record<"thanks" | "farewell", RegExp>>>> = {
  en: {
    thanks: /^(?:(?:ok|great|perfect|cool) )?(?:thanks|thank you|thx) /,
    farewell: / (?:bye|goodbye|see you(?: later| soon| tomorrow)?|good night)$/,
  },
  de: {
    thanks: /^(?:(?:ok|super|perfekt|alles klar) )?(?:danke|vielen dank|herzlichen dank) /,
    farewell: / (?:tschüss|tschüß|auf wiedersehen|bis bald|bis morgen|gute nacht)$/,
  },
  es: {
    thanks: /^(?:(?:vale|perfecto|genial) )?(?:muchas )?gracias /,
    farewell: / (?:adiós|hasta luego|hasta pronto|hasta mañana)$/,
  },
  fr: { thanks: /^(?:(?:super|parfait|ok) )?merci /, farewell: / (?:au revoir|à bientôt|à demain|bonne nuit)$/ },
  it: {
    thanks: /^(?:(?:ok|perfetto) )?(?:grazie|ti ringrazio) /,
    farewell: / (?:arrivederci|a presto|a domani|buonanotte)$/,
  },
  pt: {
    thanks: /^(?:(?:ok|perfeito) )?(?:muito )?obrigad[oa] /,
    farewell: / (?:adeus|tchau|até logo|até breve|até amanhã)$/,
  },
};

/** Maximum number of words of a sentence of thanks or farewell. A longer one may also ask for something. */
const MAX_SENTENCE_WORDS = 8;

const greetingPrefix =
  /^(?:hi|hello|hey|good morning|hallo|guten tag|hola|bonjour|salut|ciao|buongiorno|olá|oi)(?: there)? (?=\S)/;

/** Returns the intent of a message and the language to answer in; the intent is null for any other message. */
export function findIntent(message: string): { readonly intent: Intent | null; readonly language: string } {
  const words = message
    .slice(0, MAX_MESSAGE_CHARACTERS + 1)
    .toLowerCase()
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  const withoutGreeting = words.replace(greetingPrefix, "");
  if (message.length <= MAX_MESSAGE_CHARACTERS) {
    for (const [language, byIntent] of Object.entries(patterns)) {
      for (const [intent, pattern] of Object.entries(byIntent)) {
        if (pattern.test(words) || pattern.test(withoutGreeting)) return { intent: intent as Intent, language };
      }
    }
    if (!message.includes("?") && words.split(" ").length <= MAX_SENTENCE_WORDS) {
      for (const [language, { thanks, farewell }] of Object.entries(sentences)) {
        if (farewell.test(words)) return { intent: "farewell", language };
        if (thanks.test(words)) return { intent: "thanks", language };
      }
    }
  }
  return { intent: null, language: detectLanguage(message) };
}
