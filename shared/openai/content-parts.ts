import type { ChatMessage } from "../api/openai/openai.ts";
import { env } from "../lib/env.ts";
import { type FieldError, invalidFields, ServiceError } from "../lib/errors.ts";
import type { InputKind } from "../models/model-settings.ts";

type Content = ChatMessage["content"];
export type ContentPart = Exclude<NonNullable<Content>, string>[number];

/**
 * Field of a content part after which the prompt cache of a provider may end. Requests of the messages API get it for
 * `cache_control`; it is not sent to providers.
 */
export const CACHE_POINT = "cache_point";

/** Returns true for a content part after which the prompt cache of a provider may end. */
export const isCachePoint = (part: Readonly<Record<string, unknown>>): boolean => part[CACHE_POINT] === true;

/** Joins parts to one text if all of them are text, because not every provider accepts lists. */
export const joinTextParts = (parts: readonly Readonly<Record<string, unknown>>[]) =>
  parts.every(({ type }) => type === "text") ? parts.map(({ text }) => text).join("\n\n") : parts;

/** Returns the text of a content part; empty for images, audio and files. */
function partText(part: ContentPart): string {
  if (part.type === "text") return part.text;
  return part.type === "refusal" ? part.refusal : "";
}

/** Returns the text of a message's content. The texts of a list of parts are joined without a separator. */
export function plainText(content: Content | undefined): string {
  if (content === null || content === undefined) return "";
  return typeof content === "string" ? content : content.map(partText).join("");
}

/** Replaces the text of a message's content; images, audio and files stay. */
export function replaceText(content: Content | undefined, text: string): Content {
  if (typeof content !== "object" || content === null) return text;
  const others = content.filter((part) => part.type !== "text" && part.type !== "refusal");
  return others.length === 0 ? text : ([{ type: "text", text }, ...others] as Content);
}

const MIB = 1_048_576;

/**
 * Requires that the text and tool calls of all messages do not exceed the setting `OPENAI_TEXT_MIB`. Images, audio and
 * files do not count.
 * @throws ServiceError `payload_too_large`
 */
export function requireTextLength(messages: readonly ChatMessage[]): void {
  const lengthOf = (message: ChatMessage) => {
    const { content, tool_calls } = message as Extract<ChatMessage, { role: "assistant" }>;
    return plainText(content).length + (tool_calls?.length ? JSON.stringify(tool_calls).length : 0);
  };
  const length = messages.reduce((total, message) => total + lengthOf(message), 0);
  const { OPENAI_TEXT_MIB } = env("OPENAI_TEXT_MIB");
  if (length <= Number(OPENAI_TEXT_MIB) * MIB) return;
  throw new ServiceError("payload_too_large", `The text of the messages exceeds the limit of ${OPENAI_TEXT_MIB} MiB.`);
}

const inputKindOf: Partial<Record<ContentPart["type"], InputKind>> = {
  image_url: "image",
  input_audio: "audio",
  file: "file",
};

/**
 * Requires that the model supports every kind of content part in the messages.
 * @throws ServiceError `validation_failed` that names each unsupported part
 */
export function requireInputs(messages: readonly ChatMessage[], inputs: readonly InputKind[]): void {
  const errors: FieldError[] = [];
  for (const [position, { content }] of messages.entries()) {
    if (typeof content !== "object" || content === null) continue;
    for (const [index, { type }] of content.entries()) {
      const kind = inputKindOf[type];
      if (!kind || inputs.includes(kind)) continue;
      errors.push({
        path: `messages.${position}.content.${index}`,
        location: "body",
        code: "unsupported_parameter",
        message: `this model takes no ${kind} parts`,
      });
    }
  }
  if (errors.length > 0) throw invalidFields(errors);
}
