import type { Memory } from "../api/memory/memories.ts";
import { ownStatements, rememberRequest } from "./own-statements.ts";
import { type StatementRule, statementRules } from "./statement-rules.ts";
import { either, isAboutRules, mentionsSecret, statementWords, words } from "./statement-words.ts";

/** Lasting fact or preference that a user states about themselves, in their own words. */
export interface MemorableFact extends Pick<Memory, "text" | "category"> {
  /** Subject for which a user has only one fact, such as the home. A new fact replaces the known one. */
  readonly topic?: string;
}

/** Maximum number of facts from one message. */
const MAX_FACTS = 3;

const MIN_FACT_LENGTH = 4;

/** Matches requests to forget, and statements that something has changed. */
const change = either(
  words(
    "forget|no longer|not any ?more|used to|stopped|actually|correction|vergiss|nicht mehr|kein\\p{L}* mehr|oublie|ne \\p{L}+ plus|olvida|ya no|dimentica|non \\p{L}+ più|esquece|já não|não \\p{L}+ mais|забудь|больше не",
  ),
  /忘れて|もう.{1,20}(?:ない|ません)|忘记|忘掉|忘了|不再/u,
);

/** Matches words of the first person. For languages that omit pronouns, also verbs of the first person. */
const firstPerson = either(
  words(
    "I|I['’]\\p{L}+|my|mine|we|our|ich|mein*|mich|mir|wir|unser*|je|j['’]\\p{L}+|mon|ma|mes|moi|nous|notre|nos",
    "yo|me|mi|mis|soy|tengo|vengo|vivo|trabajo|estudio|prefiero|nuestr*|usamos|utilizamos|vivimos|resido|nací|odio|detesto|adoro|(?:se|te) \\p{L}+o|io|mi|mio|mia|miei|mie|sono|ho|abito|abitiamo|viviamo|lavoro|preferisco|insegno|faccio|compio|usiamo|utilizziamo|nostr*",
    "eu|meus?|minhas?|sou|tenho|venho|moro|trabalho|estudo|prefiro|gosto|odeio|moramos|nasci|chamo-me|mudei-me|noss*|(?:no|non|não) \\p{L}+o",
    "я|мо[йяёеию]|моего|моей|мои|мне|меня|мы|наш*|живу|работаю",
    "ik|mijn|jag|min|mitt|jeg|mam|jestem|mój|moja|benim|ben",
  ),
  /私|僕|俺|わたし|うち|弊社|(?:です|ます|ません|ている|好き)[。！]?$|[我咱]/u,
);

/** Matches letters of scripts for whose languages there are no rules. */
const otherScript =
  /[\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Greek}]/u;

/** Matches requests to remember at the end of a sentence, in Japanese. */
const rememberEnding = /(?:と|を|ことを)?覚えて(?:おいて|いて)?(?:ください|くださいね|ね)?[。！]?$/u;

/** Matches lasting instructions on how to address the user, such as "call me Sam". */
const addressOrder = either(
  words(
    "call me (?!back|later|when|if|a |on )\\p{L}*|address me as|duz(?:e|en) (?:mich|wir)|nenn(?:e)? mich|tutoie-moi|vouvoie-moi|appelle-moi|tutéame|trátame de|llámame|dammi del (?:tu|lei)|diamoci del tu|chiamami|trata-me por|chama-me|me chame de|зови(?:те)? меня|называй(?:те)? меня|давай на ты",
  ),
  /と呼んで|叫我|称呼我/u,
);

const { formWords, lastingWords, assistantWords } = statementWords;

/** Returns true for a lasting instruction on the form of answers. */
const isFormOrder = (text: string) => addressOrder.test(text) || (lastingWords.test(text) && formWords.test(text));

function findRule(text: string): Omit<StatementRule, "pattern"> | undefined {
  if (isFormOrder(text)) return { category: "instruction" };
  return firstPerson.test(text) ? statementRules.find(({ pattern }) => pattern.test(text)) : undefined;
}

function toFact(statement: string): MemorableFact | null {
  const request = rememberRequest.exec(statement);
  const text = (request ? statement.slice(request[0].length) : statement.replace(rememberEnding, "")).trim();
  const isRequested = request !== null || text.length < statement.length;
  if (text.length < MIN_FACT_LENGTH) return null;
  const rule = findRule(text) ?? (isRequested && !assistantWords.test(text) ? { category: "other" as const } : null);
  if (!rule) return null;
  const { category, topic } = rule;
  if (!isAllowed({ text, category })) return null;
  return { text: text.charAt(0).toUpperCase() + text.slice(1), category, ...(topic && { topic }) };
}

/** Returns the topic of a memory, if it has one for which a user has only one fact. */
export const findTopic = (text: string): string | undefined => findRule(text)?.topic;

/**
 * Returns the statements of a message that may be worth remembering, for a model that decides. Most messages have none
 * and thus cost no model call. Leaves out secrets and instructions on the rules of the service.
 */
export function findCandidates(message: string): string[] {
  return ownStatements(message).filter((statement) => {
    const isOrder = lastingWords.test(statement) || assistantWords.test(statement) || rememberRequest.test(statement);
    if (mentionsSecret(statement) || isAboutRules(statement, isOrder)) return false;
    if (isOrder && assistantWords.test(statement) && !isFormOrder(statement)) return false;
    const patterns = [firstPerson, change, rememberRequest, rememberEnding, otherScript];
    return isFormOrder(statement) || toFact(statement) !== null || patterns.some((pattern) => pattern.test(statement));
  });
}

/**
 * Returns false for a text that must not be stored as a memory: one about a secret, or an instruction on the rules of
 * the service.
 */
export const isAllowed = ({ text, category }: Pick<Memory, "text" | "category">): boolean =>
  !mentionsSecret(text) && !isAboutRules(text, category === "instruction" || category === "other");

/**
 * Returns up to three lasting facts and preferences from a message. Rules for nine languages find them, which rather
 * miss a fact than invent one. Most messages contain none.
 */
export function extractMemorableFacts(message: string): MemorableFact[] {
  return ownStatements(message)
    .flatMap((statement) => toFact(statement) ?? [])
    .slice(0, MAX_FACTS);
}
