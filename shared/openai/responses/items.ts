import { MAX_ITEMS_LENGTH } from "../../api/limits.ts";
import type { ChatMessage } from "../../api/openai/openai.ts";
import type { InputItem } from "../../api/openai/response-items.ts";
import type { ItemList, ItemListQuery } from "../../api/openai/response-operations.ts";
import type { ResponseRequest } from "../../api/openai/responses.ts";
import { invalidField } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import type { ChatToolCall } from "../../models/chat-chunk.ts";
import { type OutputItem, toTextPart } from "./response-object.ts";
import { toCalledTool } from "./response-tools.ts";

type Content = Extract<InputItem, { output: unknown }>["output"];
type Fields = Readonly<Record<string, unknown>>;

/** Converts a content part of a chat message to one of the responses API. */
function toItemPart(part: Fields): Fields {
  const { image_url, file } = part as { image_url?: Fields; file?: Fields };
  if (image_url) return { type: "input_image", image_url: image_url.url, detail: image_url.detail ?? "auto" };
  return file ? { type: "input_file", ...file } : part;
}

const toItemContent = (content: ChatMessage["content"] | undefined): Content =>
  (Array.isArray(content) ? content.map((part) => toItemPart(part as Fields)) : (content ?? "")) as Content;

/** Converts chat messages back to items of the responses API. */
export function toItems(messages: readonly ChatMessage[], request: Pick<ResponseRequest, "tools">): InputItem[] {
  const customCalls = new Set<string>();
  return messages.flatMap((message): InputItem[] => {
    const { role, content } = message;
    if (role === "tool") {
      const { tool_call_id: call_id } = message as Extract<ChatMessage, { role: "tool" }>;
      const type = customCalls.has(call_id) ? "custom_tool_call_output" : "function_call_output";
      return [{ type, call_id, output: toItemContent(content) }];
    }
    const { tool_calls } = message as Extract<ChatMessage, { role: "assistant" }>;
    const calls = (tool_calls ?? []).map((call) => {
      const { name = "", arguments: json = "" } = (call as ChatToolCall).function ?? {};
      const called = toCalledTool(request as ResponseRequest, name, json);
      if (called.type === "custom_tool_call") customCalls.add(call.id);
      return { call_id: call.id, ...called } as InputItem;
    });
    const isEmpty = content === null || content === undefined;
    const text = { type: "message", role, content: toItemContent(content) } as InputItem;
    return isEmpty ? calls : [text, ...calls];
  });
}

const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  function_call_output: "fco",
  custom_tool_call_output: "ctco",
};

/** Converts the content of a message to the parts that OpenAI lists for its role. */
function toParts(content: Content, role: string): Fields[] {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return parts.map((part) => {
    if (part.type === "input_image") return { file_id: null, ...part, detail: part.detail ?? "auto" };
    if (!("text" in part)) return part;
    return role === "assistant" ? toTextPart(part.text as string) : { type: "input_text", text: part.text };
  });
}

/**
 * Returns an item with the fields that OpenAI lists: id, status and, for messages, content parts. Reasoning items keep
 * their id.
 * @param id id without its prefix; new if omitted
 */
export function toListedItem(item: InputItem | OutputItem, id?: string): OutputItem {
  if (item.type === "reasoning")
    return { summary: [], ...item, id: String(item.id ?? id ?? `rs_${newId()}`) } as OutputItem;
  const listed = { ...item, id: `${prefixes[item.type]}_${id ?? newId()}`, status: "completed" };
  if (item.type !== "message") return listed as OutputItem;
  const { role, content } = item as Extract<InputItem, { type: "message" }>;
  return { ...listed, role, content: toParts(content, role) } as OutputItem;
}

/** Returns the input of a request as items. A text becomes one user message. */
export const toInputItems = (input: ResponseRequest["input"]): readonly InputItem[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;

/** Wraps items in OpenAI's list object. */
export const toItemList = (data: readonly OutputItem[], has_more = false): ItemList => ({
  object: "list",
  data: [...data],
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more,
});

/**
 * Returns a page of items, shorter than `limit` if its JSON would exceed `MAX_PAGE_LENGTH`.
 * @param items all items, oldest first
 * @throws ServiceError `validation_failed` if no item has the id `after`
 */
export function toItemPage(items: readonly OutputItem[], { after, limit, order }: ItemListQuery): ItemList {
  const ordered = order === "asc" ? items : items.toReversed();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) {
    throw invalidField("after", "invalid_value", "is no id of an item", "query");
  }
  let length = 0;
  const page = ordered.slice(start, start + limit).filter((item, index) => {
    length += JSON.stringify(item).length;
    return index === 0 || length <= MAX_ITEMS_LENGTH;
  });
  return toItemList(page, start + page.length < ordered.length);
}
