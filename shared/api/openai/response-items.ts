import * as v from "valibot";

const ContentPart = v.variant("type", [
  v.looseObject({ type: v.picklist(["input_text", "output_text", "text"]), text: v.string() }),
  v.looseObject({ type: v.literal("refusal"), refusal: v.string() }),
  v.looseObject({
    type: v.literal("input_image"),
    image_url: v.nullish(v.string()),
    detail: v.nullish(v.string()),
  }),
  v.looseObject({
    type: v.literal("input_file"),
    filename: v.nullish(v.string()),
    file_data: v.nullish(v.string()),
  }),
]);

const Content = v.union([v.string(), v.array(ContentPart)], "must be a string or a list of parts");

const Message = v.looseObject({
  type: v.optional(v.literal("message"), "message"),
  role: v.picklist(["user", "assistant", "system", "developer"]),
  content: Content,
  /** Chat completions have no comments before the final answer. */
  phase: v.nullish(v.literal("final_answer", "must be final_answer: the model has no other phase here")),
});

/** Item of a response's input, or a reference to one. */
export const ResponseItem = v.union(
  [
    Message,
    v.variant("type", [
      v.looseObject({
        type: v.literal("function_call"),
        call_id: v.string(),
        name: v.string(),
        namespace: v.nullish(v.string()),
        arguments: v.string(),
      }),
      v.looseObject({
        type: v.literal("custom_tool_call"),
        call_id: v.string(),
        name: v.string(),
        namespace: v.nullish(v.string()),
        input: v.string(),
      }),
      v.looseObject({
        type: v.picklist(["function_call_output", "custom_tool_call_output"]),
        call_id: v.string(),
        output: Content,
      }),
      v.looseObject({
        type: v.literal("reasoning"),
        content: v.nullish(v.array(v.looseObject({ text: v.nullish(v.string()) }))),
        summary: v.nullish(v.array(v.looseObject({ text: v.nullish(v.string()) }))),
      }),
      v.looseObject({ type: v.literal("item_reference"), id: v.string() }),
      v.looseObject({ type: v.literal("compaction"), encrypted_content: v.string() }),
    ]),
  ],
  "must be a message, a tool call, its output, a reasoning item, a compaction or a reference to an item",
);
export type InputItem = v.InferOutput<typeof ResponseItem>;
