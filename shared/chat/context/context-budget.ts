import type { ChatPrincipal } from "../../auth/principal.ts";
import { getContextTokens } from "../../models/capabilities.ts";

/**
 * Share of the context window, and maximum number of tokens, to reserve for the answer. A persona's own limit replaces
 * the maximum.
 */
const ANSWER_SHARE = 0.25;
const MAX_ANSWER_TOKENS = 4_096;

/**
 * Maximum number of tokens of a prompt, also if the context window is larger: the earliest messages are not worth their
 * price.
 */
const MAX_PROMPT_TOKENS = 200_000;

/** The same for visitors of a website, whom the site pays for: the shop's persona needs its instructions and a few sources. */
const MAX_VISITOR_PROMPT_TOKENS = 16_000;

/** Maximum shares of the prompt for its sections. The messages of the conversation get the remaining tokens. */
const shares = {
  memories: 0.1,
  notes: 0.15,
  sources: 0.4,
  files: 0.35,
  surroundings: 0.25,
  summary: 0.12,
  recalled: 0.12,
  // Longest part of one earlier message, so that a long text does not hide the conversation before it.
  message: 0.4,
} as const;

/** Maximum sizes of a prompt and its sections, in tokens. */
export interface ContextBudget extends Readonly<Record<keyof typeof shares, number>> {
  readonly prompt: number;
}

/**
 * Returns the budget of a prompt: the context window of the model minus the tokens reserved for the answer.
 * @param maxAnswerTokens the persona's limit on answers, or null
 * @param scale factor of the budget; less than 1 after the provider rejected a longer prompt
 */
export function getContextBudget(
  model: string,
  maxAnswerTokens: number | null,
  scale = 1,
  maxPromptTokens = MAX_PROMPT_TOKENS,
): ContextBudget {
  const window = getContextTokens(model);
  const answer = Math.min(maxAnswerTokens ?? MAX_ANSWER_TOKENS, Math.floor(window * ANSWER_SHARE));
  const prompt = Math.floor(Math.min(window - answer, maxPromptTokens) * scale);
  const toTokens = (share: number) => Math.floor(prompt * share);
  return {
    prompt,
    memories: toTokens(shares.memories),
    notes: toTokens(shares.notes),
    sources: toTokens(shares.sources),
    files: toTokens(shares.files),
    surroundings: toTokens(shares.surroundings),
    summary: toTokens(shares.summary),
    recalled: toTokens(shares.recalled),
    message: toTokens(shares.message),
  };
}

/** Caller and persona of a turn. */
interface Asker {
  readonly principal: Pick<ChatPrincipal, "kind">;
  readonly persona: { readonly max_output_tokens: number | null } | null;
}

/** Returns the budget of a prompt of a turn. */
export const getTurnBudget = ({ principal, persona }: Asker, model: string, scale = 1): ContextBudget =>
  getContextBudget(
    model,
    persona?.max_output_tokens ?? null,
    scale,
    principal.kind === "visitor" ? MAX_VISITOR_PROMPT_TOKENS : MAX_PROMPT_TOKENS,
  );
