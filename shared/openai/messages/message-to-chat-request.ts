import type { AssistantBlock, MessageParam, UserBlock } from "../../api/openai/message-blocks.ts";
import type { MessageRequest, TokenCountRequest } from "../../api/openai/message-requests.ts";
import type { ChatCompletionRequest } from "../../api/openai/openai.ts";
import { CACHE_POINT, isCachePoint, joinTextParts } from "../content-parts.ts";
import { toReasoningField } from "./thinking.ts";

type Part = Readonly<Record<string, unknown>>;
type InputBlock = Exclude<UserBlock, { type: "tool_result" }>;
type Source = Extract<UserBlock, { type: "image" }>["source"];

const textPart = (text: string): Part => ({ type: "text", text });

/** Marks a part after which the client wants the prompt cache to end. */
const withCachePoint = (part: Part, { cache_control }: Part): Part =>
  cache_control ? { ...part, [CACHE_POINT]: true } : part;

/** Returns the URL of an image or document: a data URL if the request contains its data. */
const toUrl = (source: Source): string => {
  if (source.type === "base64") return `data:${source.media_type};base64,${source.data}`;
  return source.type === "url" ? source.url : "";
};

function toPart(block: InputBlock): Part {
  switch (block.type) {
    case "text":
      return textPart(block.text);
    case "image":
      return { type: "image_url", image_url: { url: toUrl(block.source) } };
    case "search_result":
      return textPart([block.title, block.source, ...block.content.map(({ text }) => text)].join("\n"));
    case "document": {
      const { source, title } = block;
      const heading = title ? `${title}\n` : "";
      if (source.type === "text") return textPart(heading + source.data);
      if (source.type === "content") {
        const { content } = source;
        return textPart(
          heading + (typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n")),
        );
      }
      return { type: "file", file: { file_data: toUrl(source), filename: title || "document.pdf" } };
    }
  }
}

/** Joins parts to one text if all of them are text, unless the cache may end within them. */
const toContent = (parts: readonly Part[]) => (parts.some(isCachePoint) ? parts : joinTextParts(parts));

/**
 * Converts a user message. Each tool result becomes a message of its own. Chat completions allow only text in tool
 * results, so their images and files become parts of the following user message.
 */
function toUserMessages(blocks: readonly UserBlock[]): Part[] {
  const others: Part[] = [];
  const results: Part[] = [];
  for (const block of blocks) {
    if (block.type !== "tool_result") {
      others.push(withCachePoint(toPart(block), block));
      continue;
    }
    const { content } = block;
    const parts = typeof content === "string" ? [textPart(content)] : (content ?? []).map(toPart);
    const text = joinTextParts(parts.filter(({ type }) => type === "text"));
    others.push(...parts.filter(({ type }) => type !== "text"));
    // Chat completions have no field for a failed call.
    const result = withCachePoint(textPart(block.is_error ? `Error: ${text}` : `${text}`), block);
    results.push({ role: "tool", tool_call_id: block.tool_use_id, content: toContent([result]) });
  }
  return [...results, ...(others.length > 0 ? [{ role: "user", content: toContent(others) }] : [])];
}

/**
 * Converts an assistant message. Thinking is only sent with tool calls, because providers reject it in other messages.
 */
function toAssistantMessage(blocks: readonly AssistantBlock[]): Part {
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  const calls = blocks.flatMap((block) =>
    block.type === "tool_use"
      ? [
          {
            id: block.id,
            type: "function",
            function: { name: block.name, arguments: JSON.stringify(block.input ?? {}) },
          },
        ]
      : [],
  );
  if (calls.length === 0) return { role: "assistant", content: text };
  const reasoning = blocks.flatMap((block) => {
    const field = block.type === "thinking" && toReasoningField(block.signature);
    return field ? [[field, block.thinking] as const] : [];
  });
  return { role: "assistant", content: text || null, tool_calls: calls, ...Object.fromEntries(reasoning) };
}

const toSystemContent = (content: Exclude<MessageRequest["system"], null | undefined>) =>
  typeof content === "string"
    ? content
    : toContent(content.map((block) => withCachePoint(textPart(block.text), block)));

function toChatMessages({ role, content }: MessageParam): Part[] {
  if (typeof content === "string") return [{ role, content }];
  if (role === "system") return [{ role, content: toSystemContent(content) }];
  return role === "user" ? toUserMessages(content) : [toAssistantMessage(content)];
}

/** Converts the tools and the tool choice. */
function toTools({ tools, tool_choice: choice }: TokenCountRequest) {
  if (!tools?.length) return {};
  const isSerial = choice && "disable_parallel_tool_use" in choice && choice.disable_parallel_tool_use === true;
  return {
    tools: tools.map(({ name, description, input_schema: parameters, strict }) => ({
      type: "function",
      function: { name, ...(description && { description }), parameters, ...(strict && { strict }) },
    })),
    ...(choice?.type === "tool" && { tool_choice: { type: "function", function: { name: choice.name } } }),
    ...(choice && choice.type !== "tool" && { tool_choice: choice.type === "any" ? "required" : choice.type }),
    ...(isSerial && { parallel_tool_calls: false }),
  };
}

/** Maximum thinking budget that counts as low effort. */
const LOW_BUDGET_TOKENS = 4_096;
const MEDIUM_BUDGET_TOKENS = 16_384;

/**
 * Returns the reasoning effort: that of the request, or one derived from its thinking budget; undefined if it has
 * neither.
 */
function toEffort({ thinking, output_config }: TokenCountRequest): string | undefined {
  if (output_config?.effort) return output_config.effort;
  if (thinking?.type !== "enabled") return undefined;
  if (thinking.budget_tokens <= LOW_BUDGET_TOKENS) return "low";
  return thinking.budget_tokens <= MEDIUM_BUDGET_TOKENS ? "medium" : "high";
}

/** Returns a function that lets the cache end after the last message, if the request itself has `cache_control`. */
const withEndingPoint = (request: Part) => (message: Part, index: number, messages: readonly Part[]) => {
  const { content } = message;
  if (!request.cache_control || index < messages.length - 1 || !content) return message;
  const parts = typeof content === "string" ? [textPart(content)] : (content as readonly Part[]);
  return { ...message, content: parts.with(-1, withCachePoint(parts.at(-1) ?? {}, request)) };
};

/** Converts a request of the messages API, or a request to count tokens, to a chat completion request. */
export function messageToChatRequest(request: MessageRequest | TokenCountRequest): ChatCompletionRequest {
  const { model, system, messages, output_config } = request;
  const options: Partial<MessageRequest> = request;
  const instructions = toSystemContent(system ?? []);
  const schema = output_config?.format?.schema;
  const fields = {
    max_completion_tokens: options.max_tokens,
    temperature: options.temperature,
    top_p: options.top_p,
    top_k: options.top_k || undefined,
    stop: options.stop_sequences?.length ? options.stop_sequences : undefined,
    user: options.metadata?.user_id,
    reasoning_effort: toEffort(request),
    response_format: schema && { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
    ...toTools(request),
  };
  return {
    model,
    stream: options.stream ?? false,
    messages: [
      ...(instructions.length > 0 ? [{ role: "system", content: instructions }] : []),
      ...messages.flatMap(toChatMessages).map(withEndingPoint(request)),
    ],
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)),
  } as ChatCompletionRequest;
}
