import type { ChatCompletionRequest, ChatMessage } from "../api/openai/openai.ts";
import type { RequestTraits } from "../models/model-settings.ts";
import { CACHE_POINT, isCachePoint, joinTextParts } from "./content-parts.ts";
import { selectFields } from "./request-fields.ts";

/** Returns a content list without its empty texts, or an empty text if nothing else is in it. */
function withoutEmptyTexts(content: ChatMessage["content"]) {
  if (!Array.isArray(content)) return content;
  const parts = content.filter((part) => part.type !== "text" || part.text !== "");
  return parts.length === 0 ? "" : parts;
}

/**
 * Replaces an empty content list by an empty text, and removes empty texts of other lists and an empty `tool_calls`. Clients send
 * them for absent values, such as with an image alone, but providers reject them.
 */
function withoutEmptyParts(message: ChatMessage): ChatMessage {
  const content = withoutEmptyTexts(message.content);
  const { tool_calls, ...rest } = message as ChatMessage & { tool_calls?: readonly unknown[] | null };
  return { ...rest, content, ...(tool_calls?.length && { tool_calls }) } as ChatMessage;
}

/** Replaces the cache points of a message by the marks that gateways to Claude expect, or removes them. */
function withCacheMarks(message: ChatMessage, hasCachePoints: boolean): ChatMessage {
  const { content } = message;
  if (!Array.isArray(content) || !content.some(isCachePoint)) return message;
  const parts = content.map(({ [CACHE_POINT]: isPoint, ...part }) =>
    isPoint && hasCachePoints ? { ...part, cache_control: { type: "ephemeral" } } : part,
  );
  return { ...message, content: hasCachePoints ? parts : joinTextParts(parts) } as ChatMessage;
}

/**
 * Returns the request body for an OpenAI-compatible provider, without `model` and `stream`. The service's instructions
 * precede the caller's messages; all other fields are unchanged.
 * @throws ServiceError `validation_failed` for refused fields
 */
export function toProviderBody(
  request: ChatCompletionRequest,
  instructions: string,
  { unknownFields, hasCachePoints = false }: RequestTraits = {},
): Record<string, unknown> {
  const { tools, ...fields } = selectFields(request, "compatible", unknownFields);
  const obfuscation = request.stream_options?.include_obfuscation;
  return {
    messages: [
      ...(instructions ? [{ role: "system", content: instructions }] : []),
      ...request.messages.map((message) => withCacheMarks(withoutEmptyParts(message), hasCachePoints)),
    ],
    ...fields,
    ...(Array.isArray(tools) && tools.length > 0 && { tools }),
    // The usage is requested even if the caller does not ask for it, because the service bills by it.
    ...(request.stream && {
      stream_options: {
        include_usage: true,
        ...(typeof obfuscation === "boolean" && { include_obfuscation: obfuscation }),
      },
    }),
  };
}
