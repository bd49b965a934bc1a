import { lazily } from "../lib/lazily.ts";
import { asksToForget, findRequestedFact } from "./memory-requests.ts";
import { statementRules } from "./statement-rules.ts";
import { statementWords } from "./statement-words.ts";

/** Length above which a message probably contains a pasted text. */
const MAX_MESSAGE_CHARACTERS = 4_000;

const MAX_SENTENCE_CHARACTERS = 300;

/** Matches code, and lines that quote an earlier message. */
const material = /```[\s\S]*?(?:```|(?![\s\S]))|`[^`\n]*`|^[ \t]*>.*$/gm;

/** Matches quotation marks, markup and list markers. A single quotation mark is taken for an apostrophe. */
const quotationMarks = /["“”„«»「」『』《》<>{}|]|^\s*[-*•\d]+[.)]?\s/u;

/** Matches the beginning of a request to remember something. The rest of the sentence is the fact. */
export const rememberRequest = new RegExp(
  String.raw`^(?:${[
    "(?:please,? )?(?:remember|keep in mind|don['’]t forget|make a (?:mental )?note|note)(?: that|:)",
    "(?:bitte )?(?:merk(?:e)? dir|denk daran|vergiss nicht|behalte(?: im kopf)?|notier(?:e)? dir)(?: bitte)?(?:,? dass|:|,)",
    "(?:s['’]il te plaît,? )?(?:souviens-toi|retiens|note|n['’]oublie pas|garde en tête)(?: bien)?(?: que?| qu['’]|:)",
    "(?:por favor,? )?(?:recuerda|ten en cuenta|no olvides|acuérdate de|apunta)(?: que|:)",
    "(?:per favore,? )?(?:ricorda(?:ti)?|tieni (?:a mente|presente)|non dimenticare|segna(?:ti)?)(?: che|:)",
    "(?:por favor,? )?(?:lembra-te|lembre-se|lembra|não (?:te )?esqueças|não (?:se )?esqueça|tem em conta|anota)(?: de)?(?: que|:)",
    "(?:пожалуйста,? )?(?:запомни(?:те)?|помни(?:те)?|не забудь(?:те)?|не забывай|учти(?:те)?|имей в виду)(?:, пожалуйста)?(?:, что|:|,)",
    "(?:请|請)?(?:记住|記住|记得|記得|别忘了|记一下)[，,:：]?",
  ].join("|")})\s*`,
  "iu",
);

/** Matches a colon, but not in a time or URL. */
const colon = /(?<!\d)[:：](?!\/\/)/u;

/** Matches words before a colon that introduce a statement of the writer, such as "about me". */
const introduction =
  /^(?:about me|for context|context|fyi|by the way|btw|note|ps|(?:zu meiner person|über mich|zur info|info|hinweis|übrigens)|(?:à propos de moi|pour info|au fait)|(?:sobre mí|para que sepas|por cierto|nota)|(?:su di me|per informazione|a proposito|nota)|(?:sobre mim|para saberes|aliás)|(?:обо мне|к слову|кстати)|I(?:['’]ve| have)? (?:just |recently )?moved|update|news|new job|(?:ich bin |bin )?umgezogen|j['’]ai déménagé|me (?:he mudado|mudé)|mi sono trasferit[oa]|mudei-me|me mudei|ik ben verhuisd|przeprowadził[ae]m się|taşındım|(?:я )?переехала?|עברתי דירה|引っ越しました|搬家了|이사했어요|自己紹介|ちなみに|关于我|顺便说一下)\s*[:：]\s*/iu;

/** Returns true if a sentence announces a text after its colon that someone other than its writer may have written. */
function announcesMaterial(sentence: string): boolean {
  const end = sentence.search(colon);
  if (end < 0 || introduction.test(sentence)) return false;
  if (end === sentence.length - 1) return true;
  const head = sentence.slice(0, end);
  return (
    !rememberRequest.test(sentence) &&
    findRequestedFact(sentence) === undefined &&
    !statementRules.some(({ pattern }) => pattern.test(head))
  );
}

/** Matches words with which a message may begin, such as a greeting. */
const opening =
  /^(?:(?:hi|hello|hey|thanks|thank you|ok(?:ay)?|by the way|btw|well|so|and|since|as|because|hallo|danke|übrigens|also|und|da|weil|bonjour|merci|au fait|et|comme|hola|gracias|por cierto|y|como|ciao|grazie|a proposito|e|siccome|olá|oi|obrigad[oa]|aliás|como|привет|спасибо|кстати|и|так как)(?![\p{L}'’])[,!.:]*\s*)+/iu;

const getSegmenter = lazily(() => new Intl.Segmenter("en", { granularity: "sentence" }));

/**
 * Returns the statement before a question in the same sentence: "I am a vegetarian" of "I am a vegetarian, what can I
 * eat?"
 */
function beforeQuestion(sentence: string): string {
  const end = sentence.search(/[,;、，–—]/);
  return end < 0 ? "" : sentence.slice(0, end).trim();
}

function toStatement(sentence: string): string {
  const { reportWords, suppositionWords, momentWords } = statementWords;
  if (sentence.length > MAX_SENTENCE_CHARACTERS || quotationMarks.test(sentence)) return "";
  const statement = /[?？]\s*$/.test(sentence) || sentence.startsWith("¿") ? beforeQuestion(sentence) : sentence;
  const reports = reportWords.test(statement) && !asksToForget(statement);
  if (reports || suppositionWords.test(statement) || momentWords.test(statement)) return "";
  return statement.replace(introduction, "").replace(opening, "");
}

/**
 * Returns the sentences of a message in which its writer states something. Leaves out questions, suppositions, reports,
 * quotations, code, and statements that hold only for the moment. Returns none if the message asks to edit or translate
 * a text, and nothing after another task.
 */
export function ownStatements(message: string): string[] {
  const { taskStart, textTask, lastingWords } = statementWords;
  if (message.length > MAX_MESSAGE_CHARACTERS) return [];
  const text = message.replace(material, "\n");
  if (textTask.test(text)) return [];
  const sentences = Array.from(getSegmenter().segment(text), ({ segment }) => segment.split("\n"))
    .flat()
    .map((sentence) => sentence.trim())
    .filter(Boolean);
  const isTask = (sentence: string) =>
    announcesMaterial(sentence) ||
    (!asksToForget(sentence) &&
      taskStart.test(sentence) &&
      !/[?？]\s*$/.test(sentence) &&
      !lastingWords.test(sentence));
  const task = sentences.findIndex(isTask);
  return sentences
    .slice(0, task < 0 ? sentences.length : task)
    .map(toStatement)
    .filter(Boolean);
}
