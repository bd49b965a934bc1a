import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { hasCachePoints } from "../../models/capabilities.ts";
import type { Turn } from "../turn.ts";
import { imageParts } from "./attached-files.ts";
import { getTurnBudget } from "./context-budget.ts";
import { type FittedHistory, fitHistory, shortenText, takeFitting } from "./fit-history.ts";
import { beginWithUser, joinRoles } from "./history-messages.ts";
import { earlierFiles, newSections, recalledSection, stableSections, summarySection } from "./prompt-sections.ts";
import { boundPrompt, boundTokens, boundTools, type ToolDefinitions } from "./token-bounds.ts";

/**
 * Marks where the prompt cache of a provider may end: after the instructions, and after the last message before the
 * question.
 */
function withCachePoints(prompt: LanguageModelV4Prompt, modelId: string): LanguageModelV4Prompt {
  if (!hasCachePoints(modelId)) return prompt;
  const providerOptions = {
    bedrock: { cachePoint: { type: "default" } },
    openaiCompatible: { cache_control: { type: "ephemeral" } },
  };
  return prompt.map((message, index) =>
    index === 0 || index === prompt.length - 2 ? { ...message, providerOptions } : message,
  );
}

/** Prompt of a turn before older messages are recalled. */
export interface PromptPlan {
  readonly system: string;
  /** Sections before the question in its message, and the question. */
  readonly sections: string;
  readonly question: string;
  readonly main: FittedHistory;
  readonly thread: LanguageModelV4Prompt;
  /** Tokens for the messages outside of threads, for their summary, and for recalled messages. */
  readonly historyTokens: number;
  /** Upper bound of the tokens of the prompt without recalled messages. */
  readonly promptTokens: number;
  /** Tokens that recalled messages may have. */
  readonly recallTokens: number;
}

/** Maximum number of tokens of the instructions for recalled messages, and minimum to keep free for these. */
const RECALL_FRAME_TOKENS = 80;
const MIN_RECALL_TOKENS = 320;

/** Tokens to keep free for the note with which a prompt begins if its first message is one of the assistant. */
const NOTE_TOKENS = 30;

/**
 * Minimum share of the prompt for what follows the instructions. They are not shortened: if they exceed the rest, the
 * provider decides, because their tokens are an upper bound.
 */
const MIN_ROOM_SHARE = 0.25;

/** Share of this room that the question may have, and shares of the rest for files and for sources. */
const QUESTION_SHARE = 0.6;
const FILES_SHARE = 0.45;
const SOURCES_SHARE = 0.5;

/** Returns the factor of the budget. After a prompt was rejected, the counts of earlier ones are not relied on. */
const toScale = ({ answer: { contextScale }, history: { tokenScale } }: Turn): number =>
  contextScale === 1 ? tokenScale : contextScale;

/**
 * Decides what the prompt of a turn contains. The instructions come first, then the question, then files and sources up
 * to their shares. The thread of the question and then the rest of the conversation get what is left.
 */
export function planPrompt(turn: Turn, tools: ToolDefinitions = []): PromptPlan {
  const { history, persona } = turn;
  const { modelId, recalled } = turn.answer;
  const full = getTurnBudget(turn, modelId, toScale(turn));
  const unused = Math.max(0, 1 - boundTokens(persona?.instructions ?? "") / full.prompt);
  const base = { ...full, memories: full.memories * unused, notes: full.notes * unused };
  const instructions = stableSections({ turn, budget: base, hasTools: tools.length > 0 });
  const fixed = boundTokens(instructions) + boundTools(tools, full.prompt);
  const room = Math.max(full.prompt - fixed, full.prompt * MIN_ROOM_SHARE);
  const question = shortenText(turn.questionText, room * QUESTION_SHARE);
  const flexible = room - boundTokens(question);
  // A question with files is rather about them than about the sources that a search found.
  const perSource = turn.files.length > 0 ? 0.5 : 1;
  const budget = {
    ...base,
    files: Math.min(full.files, flexible * FILES_SHARE),
    sources: Math.min(full.sources, flexible * SOURCES_SHARE) * perSource,
  };
  const context = { turn, budget, hasTools: tools.length > 0 };
  const system = [instructions, earlierFiles(context)].filter(Boolean).join("\n\n");
  const sections = newSections(context);
  const start = [toSystem(system), toQuestion(turn, sections, question)];
  const left = full.prompt - boundPrompt(start) - boundTools(tools, full.prompt) - NOTE_TOKENS;
  const introduction = takeFitting(history.thread.slice(0, 1), left, full.message);
  const replies = takeFitting(history.thread.slice(1), left - boundPrompt(introduction), full.message);
  const thread = [...introduction, ...replies];
  const historyTokens = thread.length > 0 ? Math.min(full.surroundings, left - boundPrompt(thread)) : left;
  const reserve = recalled ? 0 : Math.max(full.recalled / 2, MIN_RECALL_TOKENS);
  const main = fitHistory(history, historyTokens, full.message, reserve);
  const recallTokens = Math.min(full.recalled, historyTokens - main.tokens) - RECALL_FRAME_TOKENS;
  const promptTokens = full.prompt - left + boundPrompt(thread) + main.tokens;
  return { system, sections, question, main, thread, historyTokens, promptTokens, recallTokens };
}

const toSystem = (content: string): LanguageModelV4Message => ({ role: "system", content });

const toQuestion = (turn: Turn, sections: string, question: string): LanguageModelV4Message => ({
  role: "user",
  content: [...imageParts(turn.files, turn.answer.modelId), { type: "text", text: `${sections}\n\n${question}` }],
});

/** Returns the prompt of a plan: the stable sections, the messages, and the question with the new sections. */
export function toPrompt(
  turn: Turn,
  { system, sections, question, main, thread }: PromptPlan,
  recalled = "",
): LanguageModelV4Prompt {
  const summary = main.summary ? summarySection(turn, main.summary) : "";
  const last = toQuestion(turn, [recalledSection(recalled), sections].filter(Boolean).join("\n\n"), question);
  const conversation = beginWithUser(joinRoles([...main.messages, ...thread, last]));
  return withCachePoints([toSystem(system + summary), ...conversation], turn.answer.modelId);
}

/** Builds the prompt of a turn, with the messages that were recalled for it. */
export const buildPrompt = (turn: Turn, tools: ToolDefinitions = []): LanguageModelV4Prompt =>
  toPrompt(turn, planPrompt(turn, tools));

/**
 * Returns the prompt without its earliest messages, as many as needed to fit into the context window after tool calls
 * were added.
 */
export function shortenPrompt(turn: Turn, tools: ToolDefinitions = []): LanguageModelV4Prompt {
  const { prompt, modelId } = turn.answer;
  const budget = getTurnBudget(turn, modelId, toScale(turn));
  const last = prompt.findLastIndex(({ role }) => role === "user");
  const kept = [...prompt.slice(0, 1), ...prompt.slice(last)];
  const left = budget.prompt - boundPrompt(kept) - boundTools(tools, budget.prompt) - NOTE_TOKENS;
  const earlier = takeFitting(prompt.slice(1, last), left, budget.message);
  return [...prompt.slice(0, 1), ...beginWithUser(earlier), ...prompt.slice(last)];
}

/**
 * Returns the size of a turn's prompt as a share of the maximum that its model accepts; more than 1 if it does not fit.
 */
export function filledShare(turn: Turn): number {
  const { prompt, modelId } = turn.answer;
  return boundPrompt(prompt) / getTurnBudget(turn, modelId).prompt;
}
