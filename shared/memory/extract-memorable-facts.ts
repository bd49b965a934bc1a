import type { Memory } from "../api/memory/memories.ts";
import { asksToForget, findRequestedFact, isPassing, saysThatEnded } from "./memory-requests.ts";
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

/** Matches words with which a statement corrects an earlier one. */
const change = words("actually|correction|stopped|called|named");

/** Matches the end of a clause, after which a statement of a change may name the new fact. */
const clauseEnd = /[,;，、。]\s*|\s(?=(?:sondern|but|mais|sino|ma|mas|maar|lecz|но|ama)\s)/u;

/** Matches words of the first person. For languages that omit pronouns, also verbs of the first person. */
const firstPerson = either(
  words(
    "I|I['’]\\p{L}+|my|mine|we|our|ich|mein*|mich|mir|wir|unser*|je|j['’]\\p{L}+|mon|ma|mes|moi|nous|notre|nos",
    "yo|me|mi|mis|soy|tengo|vengo|vivo|trabajo|estudio|prefiero|nuestr*|usamos|utilizamos|vivimos|resido|nací|odio|detesto|adoro|(?:se|te) \\p{L}+o|io|mi|mio|mia|miei|mie|sono|ho|abito|abitiamo|viviamo|lavoro|preferisco|insegno|faccio|compio|usiamo|utilizziamo|nostr*",
    "eu|meus?|minhas?|sou|tenho|venho|moro|trabalho|estudo|prefiro|gosto|odeio|moramos|nasci|chamo-me|mudei-me|noss*|(?:no|non|não) \\p{L}+o",
    "pracuję|mieszkam|mój|moj[aeą]|mam|çalış[ıi]yorum|yaşıyorum|oturuyorum|\\p{L}+[ıü]m|\\p{L}*[çğıöşü]\\p{L}*[iu]m|\\p{L}{4,20}[rn][iu]m|أعمل|أسكن|أعيش|أنا|عندي|ابنتي|אני|שלי|tôi|mình|em",
    "я|мо[йяёеию]|моего|моей|мои|мне|меня|мы|наш*|живу|работаю",
    "ik|mijn|jag|min|mitt|jeg|mam|jestem|mój|moja|benim|ben",
  ),
  /私|僕|俺|わたし|うち|弊社|(?:です|ます|ません|ている|好き)[。！]?$|[我咱]|저는|나는|제가|우리|(?:해요|합니다|예요|이에요|아요|어요)[.]?$|मैं|मेर[ाीे]|मुझे/u,
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

/** Returns the German clause of a request as a sentence of its own: its verb, which comes last after "dass", follows the subject. */
const toMainClause = (clause: string): string =>
  clause.replace(/^(ich|wir) ([^,;.!]+) (\p{L}+)([,;.!]|$)/iu, "$1 $3 $2$4");

function toFact(statement: string): MemorableFact | null {
  const request = rememberRequest.exec(statement);
  if (!request && asksToForget(statement)) return null;
  const withoutRequest = request ? statement.slice(request[0].length) : statement.replace(rememberEnding, "");
  const isClause = request !== null && /dass\s*$/i.test(request[0]);
  const asked = (findRequestedFact(withoutRequest) ?? withoutRequest).trim();
  const text = isClause ? toMainClause(asked) : asked;
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
    if (asksToForget(statement) || saysThatEnded(statement) || findRequestedFact(statement) !== undefined) return true;
    const patterns = [firstPerson, change, rememberRequest, rememberEnding, otherScript];
    return isFormOrder(statement) || toFact(statement) !== null || patterns.some((pattern) => pattern.test(statement));
  });
}

/**
 * Returns false for a text that must not be stored as a memory: one about a secret, one that holds for one answer only,
 * or an instruction on the rules of the service.
 */
export const isAllowed = ({ text, category }: Pick<Memory, "text" | "category">): boolean =>
  !mentionsSecret(text) && !isPassing(text) && !isAboutRules(text, category === "instruction" || category === "other");

/**
 * Returns up to three lasting facts and preferences from a message. Rules for nine languages find them, which rather
 * miss a fact than invent one. Most messages contain none.
 */
export function extractMemorableFacts(message: string): MemorableFact[] {
  return ownStatements(message)
    .flatMap((statement) => (saysThatEnded(statement) ? statement.split(clauseEnd) : [statement]))
    .filter((statement) => !saysThatEnded(statement))
    .flatMap((statement) => toFact(statement.replace(/^(?:sondern|but|mais|sino|ma|mas|maar|lecz|но|ama)\s/, "")) ?? [])
    .slice(0, MAX_FACTS);
}
