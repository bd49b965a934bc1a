import { findIntent } from "../../../shared/chat/questions/find-intent.ts";
import { detectLanguage } from "../../../shared/lib/language/languages.ts";
import { changesByRules } from "../../../shared/memory/memory-changes.ts";
import { findResult } from "./arithmetic.ts";
import { type DemoRequest, isTask, type Prompt, readPrompt } from "./prompt.ts";
import { findBeginning, findQuotes } from "./quotes.ts";
import textsByLanguage from "./texts.json" with { type: "json" };
import { type DemoToolCall, describeResults, findToolCall } from "./tools.ts";

type Texts = (typeof textsByLanguage)["en"];

/** Answer to a question that suggests a risk of self-harm. The service adds the address of help lines. */
const crisisReply =
  "I am sorry that you are going through this, and I am glad that you shared it. I am a program and no substitute for a person: please talk to someone you trust today.";

/** Reply of the demo model: a text, or the call of a tool. */
export interface DemoReply {
  readonly text: string;
  readonly call?: DemoToolCall;
}

const asksForSummary =
  /\b(?:summari[sz]e|summary|sum up|tl;?dr)\b|zusammenfass|\bfass\w* .*zusammen|^\W*resum(?:e|en|ir|a|o)\b|\bresum(?:en|e|ir) d|\brésum|\briassu/iu;

const asksForTime =
  /\bwhat time (?:is it|it is)\b|\bwhat['’ ]?i?s the time\b|\bwie (?:spät|viel uhr) (?:ist|es)|\baktuelle uhrzeit|\bqué horas? (?:es|son)\b|\bquelle heure est|\bche or[ae] (?:è|sono)|\bque horas? (?:é|são)/iu;

/** Matches questions for the date of today, yesterday or tomorrow. */
const asksForDate =
  /\b(?:what|which)(?:['’]s| is)? (?:the )?(?:day|date|weekday|month|year)\b(?: of the week)?(?: is| was| will)?(?: it)? ?(?:be )?(?:today|tomorrow|yesterday|now)?\W*$|today['’]s date|^\W*what(?:['’]s| is) today\W*$|\bwelche[rns]? (?:wochen)?(?:tag|datum|jahr|monat) (?:ist|war|haben wir)|\bden wievielten|\bqué (?:día|fecha) (?:es|fue|será|estamos)|\bquel(?:le)? (?:jour|date) (?:est-on|sommes|serons)|\b(?:quelle )?est la date\b|\bche (?:giorno|data) (?:è|era|sarà|siamo)|\bqu(?:e|al)(?: é a)? (?:dia|data) (?:é|foi|será|de hoje)/iu;
const tomorrow = /\btomorrow|\bmorgen\b|\bmañana|\bdemain|\bdomani|\bamanhã/iu;
const yesterday = /\byesterday|\bgestern|\bayer\b|\bhier\b|\bieri\b|\bontem/iu;

/** Returns the language of most question words and function words, because a question is often too short for more. */
function findLanguage(question: string): string {
  const detected = detectLanguage(question);
  if (!Object.hasOwn(textsByLanguage, detected)) return "en";
  const words = new Set(question.toLowerCase().match(/\p{L}+/gu));
  const counts = Object.entries(textsByLanguage).map(([language, texts]) => ({
    language,
    count: texts.words.split(" ").filter((word) => words.has(word)).length,
  }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best), { language: detected, count: 0 })
    .language;
}

const DAY_MS = 86_400_000;

function tellDate(question: string, language: string, today: string | null): string {
  const days = tomorrow.test(question) ? 1 : yesterday.test(question) ? -1 : 0;
  const day = new Date((today ? Date.parse(today) : Date.now()) + days * DAY_MS);
  return new Intl.DateTimeFormat(language, { dateStyle: "full", timeZone: "UTC" }).format(day);
}

const tellTime = (language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short" }).format(new Date());

/** Answers a message that needs no source; undefined for any other one. */
function answerAlone({ question, today, sources }: Prompt, language: string, texts: Texts): string | undefined {
  const result = findResult(question);
  if (result) return `${result.expression.replace(/\s*([+*/^]|(?<=[\d)]\s*)-)\s*/g, " $1 ")} = **${result.value}**`;
  if (asksForTime.test(question)) return texts.date.replace("{date}", tellTime(language));
  if (asksForDate.test(question)) return texts.date.replace("{date}", tellDate(question, language, today));
  if (today === null || question.includes("?") || sources.length > 0) return undefined;
  const facts = changesByRules(question, []).flatMap((change) => (change.op === "add" ? change.text : []));
  return facts.length > 0 ? texts.remembered.replace("{facts}", () => facts.join(" ")) : undefined;
}

/** Quotes what answers a question, under the titles of the documents. */
function formatQuotes(intro: string, quotes: ReturnType<typeof findQuotes>): string {
  const titles = [...new Set(quotes.map(({ source }) => source.title))].filter(Boolean).join(", ");
  const lines = quotes.map(
    ({ sentence, source: { number } }) => `> ${sentence}${number === null ? "" : ` [${number}]`}`,
  );
  return [intro.replace("{titles}", () => titles), ...lines].join("\n\n");
}

function answerFromSources({ question, earlier, sources, statements, unanswered }: Prompt, texts: Texts): string {
  if (sources.length > 0 && asksForSummary.test(question)) {
    return formatQuotes(texts.summary, findBeginning(question, sources));
  }
  const inContext = [question, ...earlier.slice(0, 1)].join("\n");
  const quotes = [findQuotes(question, sources), findQuotes(inContext, sources)].find(({ length }) => length > 0) ?? [];
  if (quotes.length > 0) {
    const missing = unanswered.map((part) => `${texts.nothing}\n\n> ${part}`);
    return [formatQuotes(texts.found, quotes), ...missing].join("\n\n");
  }
  const beginning = findBeginning(question, sources);
  if (beginning.length > 0) return formatQuotes(texts.closest, beginning);
  const said = findQuotes(question, statements);
  if (said.length > 0) return formatQuotes(texts.said, said.slice(0, 2));
  return `${texts.nothing} ${texts.abilities}`;
}

/** Answers a request by rules: with quotes of the sources in the prompt, and with simple skills. */
export function answer(request: DemoRequest): DemoReply {
  if (isTask(request)) return { text: " " };
  const prompt = readPrompt(request);
  if (prompt.isInCrisis) return { text: crisisReply };
  if (prompt.toolResults.length > 0) return { text: describeResults(prompt) };
  const { intent, language: ofIntent } = findIntent(prompt.question);
  const language = intent ? ofIntent : findLanguage(prompt.question);
  const texts = (textsByLanguage as Readonly<Record<string, Texts>>)[language] ?? textsByLanguage.en;
  if (intent === "self") return { text: `${texts.self} ${texts.abilities}` };
  if (intent) return { text: texts[intent] };
  const call = findToolCall(request, prompt.question);
  if (call) return { text: "", call };
  return { text: answerAlone(prompt, language, texts) ?? answerFromSources(prompt, texts) };
}
