import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from "@ai-sdk/provider";
import { promptText } from "../../models/prompt-text.ts";

/** Maximum number of tokens that a provider adds to a message for its role and delimiters. */
export const TOKENS_PER_MESSAGE = 8;

/**
 * Upper bound of the tokens of an image. Models that accept images up to 8,000 pixels wide scale them down before they
 * count tokens.
 */
const TOKENS_PER_IMAGE = 2_000;

const isLower = (code: number) => code >= 0x61 && code <= 0x7a;
const isUpper = (code: number) => code >= 0x41 && code <= 0x5a;

/** Returns the maximum number of tokens for a character, times three, given the UTF-16 code unit before it. */
function boundCharacter(code: number, previous: number): number {
  if (code >= 0x800) return 4.5;
  if (code >= 0x80) return 3.4;
  if (code === 0x20 || (isLower(code) && !(previous >= 0x30 && previous <= 0x39))) return 1;
  // Random text, such as Base64, has few tokens of more than one character: its case changes often.
  if (isUpper(code)) return isLower(previous) ? 3.5 : 2;
  return code >= 0x30 && code <= 0x39 ? 3.1 : 2.5;
}

/**
 * Returns an upper bound of the number of tokens of a text. It is estimated from the characters, because providers use
 * different tokenizers that are not all public. Decision 0030 has the measurements.
 */
export function boundTokens(text: string): number {
  let thirds = 0;
  let previous = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    thirds += boundCharacter(code, previous);
    previous = code;
  }
  return Math.ceil(thirds / 3);
}

const countImages = ({ role, content }: LanguageModelV4Message) =>
  role === "user" ? content.filter(({ type }) => type === "file").length : 0;

export const boundPrompt = (messages: readonly LanguageModelV4Message[]): number =>
  messages.reduce(
    (sum, message) =>
      sum + TOKENS_PER_MESSAGE + countImages(message) * TOKENS_PER_IMAGE + boundTokens(promptText([message])),
    0,
  );

/** Maximum share of a prompt that the definitions of tools are counted with. */
const MAX_TOOL_SHARE = 0.5;

export type ToolDefinitions = readonly { readonly definition: LanguageModelV4FunctionTool }[];

/** Returns an upper bound of the tokens that the definitions of tools add to a prompt of `promptTokens`. */
export const boundTools = (tools: ToolDefinitions, promptTokens: number): number =>
  Math.min(
    boundTokens(tools.map(({ definition }) => JSON.stringify(definition)).join("")),
    promptTokens * MAX_TOOL_SHARE,
  );
