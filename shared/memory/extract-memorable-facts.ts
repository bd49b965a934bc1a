import type { Memory } from "../api/memory/memories.ts";
import { lazily } from "../lib/lazily.ts";

/** Lasting fact or preference that a user states, in the user's own words. */
export type MemorableFact = Pick<Memory, "text" | "category">;

/** Maximum number of facts that are extracted from one message. */
const MAX_FACTS = 3;

const MIN_FACT_LENGTH = 8;
const MAX_SENTENCE_LENGTH = 300;

/** Requests to remember something. The text after the match is the fact. */
const rememberRequest =
  /^(?:please,? )?(?:remember|keep in mind|don['’]t forget|make a mental note)(?: that|:)\s+|^(?:bitte )?(?:merk dir|denk daran|vergiss nicht),? dass\s+|^(?:por favor,? )?(?:recuerda|ten en cuenta) que\s+|^(?:souviens-toi|retiens|n['’]oublie pas) que\s+/iu;

/** Patterns of statements that remain true, by category. The first match determines the category. */
const statements: readonly (readonly [Memory["category"], RegExp])[] = [
  [
    "instruction",
    /^(?:please,? )?(?:from now on|in (?:the )?future|going forward)\b|^(?:please,? )?(?:always|never) (?:answer|reply|respond|write|use|call|address|give|include|add|explain|format|translate|show|sign|end|start|avoid)\b|^(?:ab jetzt|ab sofort|in zukunft|künftig)(?![\p{L}])|^(?:bitte )?(?:antworte|schreib) (?:mir )?(?:immer|stets|nie)(?![\p{L}])|^(?:a partir de ahora|de ahora en adelante)\b|^(?:désormais|dorénavant|à partir de maintenant)(?![\p{L}])/iu,
  ],
  [
    "preference",
    /\bI (?:really |much |generally |usually |strongly )?(?:prefer|love|hate|dislike|can['’]t stand)\b(?! (?:this|it|that|you|how|when)\b)|\bmy favou?rite\b|\bI(?:['’]d| would) (?:always )?rather\b|\bich (?:bevorzuge|mag|hasse|liebe)\b|\bmeine? lieblings|\b(?:yo )?prefiero\b|\bme (?:gusta|encanta)n?\b|\bje préfère|\bj['’](?:adore|aime)\b/iu,
  ],
  [
    "profile",
    /\bmy name is\b|\b(?:please )?call me [A-Z]|\bI (?:work|live|study|teach|was born|grew up) (?:as|at|for|in|with|on)\b|\bI(?:['’]m| am) (?:from|based in|responsible for|married|allergic to|vegetarian|vegan|diabetic|colou?r[- ]?blind|left-handed|\d{1,3} years old)\b|\bI(?:['’]m| am) an? (?!bit\b|little\b|lot\b|few\b|idiot\b|fan of\b)(?:[\p{L}-]+ ){0,3}[\p{L}-]*(?:er|or|ist|ian|ant|ent|eer|man|woman|nurse|chef|pilot|architect|coach|clerk|diplomat|judge|CEO|CTO|CFO|intern)\b|\bmy (?:birthday|job|role|title|employer|company|team|manager|boss|time ?zone|native language|mother tongue|wife|husband|partner|daughter|son|dog|cat)(?:['’]s| is| are)\b|\bich heiße|\bmein name ist\b|\bich (?:wohne|lebe|arbeite|studiere) (?:in|als|bei|für|an)\b|\bich bin (?:allergisch|vegetarier|veganer|verheiratet)|\bme llamo\b|\bmi nombre es\b|\b(?:vivo|trabajo|estudio) (?:en|como|para)\b|\bsoy alérgic[oa]|\bje m['’]appelle\b|\bj['’]habite\b|\bje travaille (?:à|chez|comme|pour)/iu,
  ],
  [
    "fact",
    /^(?:at (?:our|my) company,? )?(?:we|our (?:company|team|office|department|product|customers|fiscal year|stack|policy)) (?:use|uses|work with|works with|is called|are called|is located|are based|is based|runs on|run on|starts in|closes|opens)\b|^(?:wir|unsere? (?:firma|team|abteilung)) (?:nutzt|nutzen|verwendet|verwenden|heißt|sitzt)\b/iu,
  ],
];

/** Questions, hypothetical sentences, quotations and code, which are not statements of the user. */
const nonStatement = /[?？]\s*$|^(?:if|suppose|imagine|what if|wenn|falls|si|angenommen)\b|["“”«»„]|[`<>{}]|^>/iu;

const getSegmenter = lazily(() => new Intl.Segmenter("en", { granularity: "sentence" }));

function findFact(sentence: string): MemorableFact | null {
  if (sentence.length > MAX_SENTENCE_LENGTH) return null;
  const request = rememberRequest.exec(sentence);
  const text = (request ? sentence.slice(request[0].length) : sentence).trim();
  if (text.length < MIN_FACT_LENGTH || nonStatement.test(sentence)) return null;
  const category = statements.find(([, pattern]) => pattern.test(text))?.[0] ?? (request ? "other" : null);
  return category && { text: text.charAt(0).toUpperCase() + text.slice(1), category };
}

/** Extracts up to three lasting facts and preferences from a message. Most messages contain none. */
export function extractMemorableFacts(message: string): MemorableFact[] {
  return Array.from(getSegmenter().segment(message), ({ segment }) => segment)
    .flatMap((segment) => segment.split("\n"))
    .flatMap((sentence) => findFact(sentence.trim()) ?? [])
    .slice(0, MAX_FACTS);
}
