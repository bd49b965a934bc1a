import type { StoredMessage } from "../../conversations/message-store.ts";

/** Number of the latest answers of a model whose ratios count; the highest applies. */
const MAX_ANSWERS = 10;

/** Factor of a ratio, because the text that is added may have more tokens for its length. */
const MARGIN = 1.08;

/** Minimum of the applied ratio, and of a ratio that a provider can have counted. */
const [MIN_RATIO, MIN_PLAUSIBLE_RATIO] = [0.45, 0.2];

/** Step of the applied ratio, so that the budget seldom changes from one turn to the next. */
const STEP = 0.05;

/**
 * Returns the factor by which the upper bound of a prompt's tokens may exceed the budget: from 1 to 2.2, by the counts of
 * the provider for the latest answers of the model in this conversation. 1 without such counts.
 * @param messages messages of the conversation, oldest first
 */
export function getTokenScale(messages: readonly StoredMessage[], model: string): number {
  const ratios = messages
    .filter((message) => message.model === model && (message.token_ratio ?? 0) >= MIN_PLAUSIBLE_RATIO)
    .slice(-MAX_ANSWERS)
    .map(({ token_ratio = 1 }) => token_ratio);
  if (ratios.length === 0) return 1;
  const ratio = Math.ceil((Math.max(...ratios) * MARGIN) / STEP) * STEP;
  return 1 / Math.min(1, Math.max(MIN_RATIO, ratio));
}
