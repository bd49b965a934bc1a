import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Limit, pageOf, Timestamp, trimmedText } from "../fields.ts";

const Text = trimmedText(2_000);

export const MemoryScope = describe(
  v.picklist(["user", "conversation", "persona", "tenant"], "must be user, conversation, persona or tenant"),
  "The scope of the memory: all conversations of its author (`user`), one conversation, one persona, or all users in the tenant.",
);
export type MemoryScope = v.InferOutput<typeof MemoryScope>;

export const MemoryCategory = v.picklist(
  ["preference", "fact", "instruction", "profile", "other"],
  "must be preference, fact, instruction, profile or other",
);

const MemoryStatus = describe(
  v.picklist(["active", "proposed"], "must be active or proposed"),
  "The assistant only uses active memories. To accept a proposed memory, update its status to `active`. To reject it, delete it.",
);

/** Memory that a proposal replaces when it is accepted. */
export const ReplacedMemory = v.object({ memory_id: Id, text: v.string() });

/** Fact or instruction that the assistant remembers. */
export const Memory = v.object({
  id: Id,
  text: v.string(),
  scope: MemoryScope,
  scope_id: describe(v.string(), "The id of the user, conversation, persona or tenant that the scope refers to."),
  category: MemoryCategory,
  status: MemoryStatus,
  source_message_id: v.nullable(Id),
  read_untrusted: describe(
    v.optional(v.boolean()),
    "True if the assistant proposed the memory after it had read text of others in the conversation, such as a document or an alert. Absent if a user created the memory.",
  ),
  trusted: describe(
    v.boolean(),
    "False for a memory that was proposed after text of others was read, until a user has changed its text or set `trusted`. Replies that use such a memory count as replies that have read text of others.",
  ),
  replaces: v.optional(
    describe(
      ReplacedMemory,
      "The memory that this proposal contradicts or makes more precise. Accepting the proposal deletes it.",
    ),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Memory = v.InferOutput<typeof Memory>;

const route = routeGroup({ group: "memories", auth: "jwt" });

export const createMemoryRoute = route("POST /v1/memories", {
  id: "createMemory",
  body: v.strictObject({
    text: Text,
    scope: v.optional(MemoryScope, "user"),
    scope_id: describe(v.nullish(Id, null), "Required for the scopes `conversation` and `persona`."),
    category: v.optional(MemoryCategory, "other"),
  }),
  replies: { 201: Memory },
  errors: ["not_found", "forbidden"],
  summary: "Create a memory",
  description:
    "The scope `tenant` requires `rbac.manage`. Its memories are visible to all users in the tenant and apply to their conversations.",
});

export const listMemoriesRoute = route("GET /v1/memories", {
  id: "listMemories",
  query: v.object({
    limit: Limit,
    cursor: Cursor,
    scope: v.optional(MemoryScope),
    category: v.optional(MemoryCategory),
    status: v.optional(MemoryStatus),
  }),
  replies: { 200: pageOf("memories", Memory) },
  summary: "List memories",
  description: "Returns the caller's own memories and those of the tenant in reverse chronological order.",
});

export const getMemoryRoute = route("GET /v1/memories/{id}", {
  id: "getMemory",
  replies: { 200: Memory },
  summary: "Get a memory",
});

export const updateMemoryRoute = route("PATCH /v1/memories/{id}", {
  id: "updateMemory",
  body: v.strictObject({
    text: v.optional(Text),
    category: v.optional(MemoryCategory),
    status: v.optional(v.literal("active", "can only become active")),
    trusted: describe(
      v.optional(v.literal(true, "can only become true")),
      "Confirms a memory although it was proposed after text of others was read.",
    ),
  }),
  replies: { 200: Memory },
  errors: ["forbidden"],
  summary: "Update a memory",
  description:
    "Set `status` to `active` to accept a proposed memory, which deletes the memory that it `replaces`. A memory with `trusted: false` stays so until its text changes or `trusted` is set, which a client should do only after it has told the user where the memory came from. Updating a memory of the tenant requires `rbac.manage`.",
});

export const deleteMemoryRoute = route("DELETE /v1/memories/{id}", {
  id: "deleteMemory",
  errors: ["forbidden"],
  summary: "Delete a memory",
  description: "Deleting a proposed memory rejects it. Deleting a memory of the tenant requires `rbac.manage`.",
});
