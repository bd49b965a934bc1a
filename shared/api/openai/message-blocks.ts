import * as v from "valibot";

const fileSource = v.looseObject({ type: v.literal("file") }, "must contain its data: stored files are not supported");

const Source = v.variant(
  "type",
  [
    v.looseObject({ type: v.literal("base64"), media_type: v.string(), data: v.string() }),
    v.looseObject({ type: v.literal("url"), url: v.string() }),
    v.looseObject({ type: v.literal("text"), data: v.string() }),
    v.looseObject({ type: v.literal("content"), content: v.union([v.string(), v.array(v.looseObject({}))]) }),
    v.pipe(
      fileSource,
      v.check(() => false, "must contain its data: stored files are not supported"),
    ),
  ],
  "must be base64, url, text or content",
);

const TextBlock = v.looseObject({ type: v.literal("text"), text: v.string() });
const ImageBlock = v.looseObject({ type: v.literal("image"), source: Source });
const DocumentBlock = v.looseObject({ type: v.literal("document"), source: Source, title: v.nullish(v.string()) });
const SearchResultBlock = v.looseObject({
  type: v.literal("search_result"),
  title: v.string(),
  source: v.string(),
  content: v.array(TextBlock),
});

const inputBlocks = [TextBlock, ImageBlock, DocumentBlock, SearchResultBlock] as const;

const ToolResultBlock = v.looseObject({
  type: v.literal("tool_result"),
  tool_use_id: v.string(),
  content: v.nullish(v.union([v.string(), v.array(v.variant("type", inputBlocks))], "must be a string or blocks")),
  is_error: v.nullish(v.boolean()),
});

const UserBlock = v.variant(
  "type",
  [...inputBlocks, ToolResultBlock],
  "must be text, image, document, search_result or tool_result",
);
export type UserBlock = v.InferOutput<typeof UserBlock>;

const AssistantBlock = v.variant(
  "type",
  [
    TextBlock,
    v.looseObject({ type: v.literal("thinking"), thinking: v.string(), signature: v.nullish(v.string()) }),
    v.looseObject({ type: v.literal("redacted_thinking") }),
    v.looseObject({ type: v.literal("tool_use"), id: v.string(), name: v.string(), input: v.unknown() }),
  ],
  "must be text, thinking or tool_use: tools that run at Anthropic are not supported",
);
export type AssistantBlock = v.InferOutput<typeof AssistantBlock>;

const contentOf = <Block extends v.GenericSchema>(block: Block) =>
  v.union([v.string(), v.array(block)], "must be a string or a list of blocks");

export const SystemContent = contentOf(TextBlock);

export const MessageParam = v.variant("role", [
  v.looseObject({ role: v.literal("user"), content: contentOf(UserBlock) }),
  v.looseObject({ role: v.literal("assistant"), content: contentOf(AssistantBlock) }),
  v.looseObject({ role: v.literal("system"), content: SystemContent }),
]);
export type MessageParam = v.InferOutput<typeof MessageParam>;

/** Returns the first call that the next message has no result for, which providers refuse, each in its own words. */
export function findOpenCall(messages: readonly MessageParam[]): string | undefined {
  const turns = messages.filter(({ role }) => role !== "system");
  for (const [position, { content }] of turns.entries()) {
    if (typeof content === "string") continue;
    const next = turns[position + 1]?.content;
    const results = new Set(
      typeof next === "object" ? next.map((block) => block.type === "tool_result" && block.tool_use_id) : [],
    );
    const call = content.find((block) => block.type === "tool_use" && !results.has(block.id));
    if (call?.type === "tool_use") return call.id;
  }
  return undefined;
}
