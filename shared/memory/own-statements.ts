import { lazily } from "../lib/lazily.ts";
import { statementWords } from "./statement-words.ts";

/** Length above which a message is taken for a text that was pasted. */
const MAX_MESSAGE_CHARACTERS = 4_000;

const MAX_SENTENCE_CHARACTERS = 300;

/** Code, and lines that quote an earlier message. */
const material = /```[\s\S]*?(?:```|(?![\s\S]))|`[^`\n]*`|^[ \t]*>.*$/gm;

/** Quotation marks and markup. A single quotation mark is an apostrophe. */
const quotationMarks = /["“”„«»「」『』《》<>{}|]|^\s*[-*•\d]+[.)]?\s/u;

/** End of a sentence that announces the material that follows it. */
const announcement = /[:：]$/;

/** Words with which people start a message. */
const opening =
  /^(?:(?:hi|hello|hey|thanks|thank you|ok(?:ay)?|by the way|btw|well|so|and|since|as|because|hallo|danke|übrigens|also|und|da|weil|bonjour|merci|au fait|et|comme|hola|gracias|por cierto|y|como|ciao|grazie|a proposito|e|siccome|olá|oi|obrigad[oa]|aliás|como|привет|спасибо|кстати|и|так как)(?![\p{L}'’])[,!.:]*\s*)+/iu;

const getSegmenter = lazily(() => new Intl.Segmenter("en", { granularity: "sentence" }));

/** Returns the statement before the question of a sentence: "I am a vegetarian, what can I eat?" */
function beforeQuestion(sentence: string): string {
  const end = sentence.search(/[,;、，–—]/);
  return end < 0 ? "" : sentence.slice(0, end).trim();
}

function toStatement(sentence: string): string {
  const { reportWords, suppositionWords, momentWords } = statementWords;
  if (sentence.length > MAX_SENTENCE_CHARACTERS || announcement.test(sentence) || quotationMarks.test(sentence))
    return "";
  const statement = /[?？]\s*$/.test(sentence) || sentence.startsWith("¿") ? beforeQuestion(sentence) : sentence;
  if (reportWords.test(statement) || suppositionWords.test(statement) || momentWords.test(statement)) return "";
  return statement.replace(opening, "");
}

/**
 * Returns the sentences in which the writer of a message states something: without questions, suppositions, reports,
 * quotations, code and what only holds for the moment. A message with a text to translate or correct has none, and what
 * follows another task is its material.
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
    announcement.test(sentence) ||
    (taskStart.test(sentence) && !/[?？]\s*$/.test(sentence) && !lastingWords.test(sentence));
  const task = sentences.findIndex(isTask);
  return sentences
    .slice(0, task < 0 ? sentences.length : task)
    .map(toStatement)
    .filter(Boolean);
}
