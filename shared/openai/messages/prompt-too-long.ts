import type { ServiceError } from "../../lib/errors.ts";
import { ProviderRefusal } from "../../models/provider-refusal.ts";

/** Smallest number in a provider's message that can be a number of tokens. */
const MIN_TOKENS = 100;

/** Numbers of tokens of a prompt that exceeds the context window of its model. */
interface Overflow {
  readonly tokens: number;
  readonly maximum: number;
}

/** Returns the numbers of tokens in a provider's message; undefined if it does not name both. */
function readOverflow(message: string): Overflow | undefined {
  const text = message.replace(/(?<=\d)[,_](?=\d{3})/g, "");
  const sum = /(?<!\d)(\d{1,9}) \+ (\d{1,9}) > (\d{1,9})/.exec(text);
  if (sum) return { tokens: Number(sum[1]) + Number(sum[2]), maximum: Number(sum[3]) };
  const numbers = [...text.matchAll(/(?<!\d)\d{1,9}/g)].map(Number).filter((value) => value >= MIN_TOKENS);
  const [tokens, maximum] = [...new Set(numbers)].sort((one, other) => other - one);
  return tokens === undefined || maximum === undefined ? undefined : { tokens, maximum };
}

/**
 * Returns the message of an error in the words of Anthropic's API, because its clients recognize by them that they must shorten
 * the conversation. Numbers that the provider does not name are those of the model, and an estimate.
 */
export function promptTooLong(error: ServiceError): string {
  const overflow = readOverflow(error.message) ?? (error instanceof ProviderRefusal ? error.overflow : undefined);
  return overflow
    ? `prompt is too long: ${overflow.tokens} tokens > ${overflow.maximum} maximum`
    : `prompt is too long: ${error.message}`;
}
