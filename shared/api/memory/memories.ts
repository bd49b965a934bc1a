import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, pageOf, Timestamp } from "../fields.ts";

const Text = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, "must not be empty"),
  v.maxLength(2_000, "must have at most 2,000 characters"),
);

/** Where something remembered applies. */
export const MemoryScope = v.pipe(
  v.picklist(["user", "conversation", "persona", "tenant"], "must be user, conversation, persona or tenant"),
  v.description(
    "Where it applies: everywhere its author asks, in one conversation, with one persona, or for everybody in the tenant",
  ),
);
/** Where something remembered applies. */
export type MemoryScope = v.InferOutput<typeof MemoryScope>;

/** What kind of thing is remembered. */
export const MemoryCategory = v.picklist(
  ["preference", "fact", "instruction", "profile", "other"],
  "must be preference, fact, instruction, profile or other",
);

const MemoryStatus = v.pipe(
  v.picklist(["active", "proposed"], "must be active or proposed"),
  v.description(
    "Only active ones reach the assistant; a proposal is accepted by making it active, rejected by deleting it",
  ),
);

/** Something the assistant remembers. */
export const Memory = v.object({
  id: Id,
  text: v.string(),
  scope: MemoryScope,
  scope_id: v.pipe(v.string(), v.description("The user, conversation, persona or tenant it is about")),
  category: MemoryCategory,
  status: MemoryStatus,
  source_message_id: v.nullable(Id),
  created_at: Timestamp,
  updated_at: Timestamp,
});
/** Something the assistant remembers. */
export type Memory = v.InferOutput<typeof Memory>;

export const createMemory = defineRoute({
  id: "createMemory",
  group: "memories",
  method: "POST",
  path: "/v1/memories",
  auth: "jwt",
  body: v.strictObject({
    text: Text,
    scope: v.optional(MemoryScope, "user"),
    scope_id: v.pipe(v.nullish(Id, null), v.description("Needed for the scopes conversation and persona")),
    category: v.optional(MemoryCategory, "other"),
  }),
  replies: { 201: Memory },
  errors: ["not_found", "forbidden"],
  summary: "Let the assistant remember something",
  description: "The scope `tenant` needs `rbac.manage`; what it holds is seen and heard by everybody in the tenant.",
});

export const listMemories = defineRoute({
  id: "listMemories",
  group: "memories",
  method: "GET",
  path: "/v1/memories",
  auth: "jwt",
  query: v.object({
    limit: Limit,
    cursor: Cursor,
    scope: v.optional(MemoryScope),
    category: v.optional(MemoryCategory),
    status: v.optional(MemoryStatus),
  }),
  replies: { 200: pageOf("memories", Memory) },
  errors: ["invalid_cursor"],
  summary: "List what is remembered",
  description: "The caller's own memories and those of the tenant, newest first.",
});

export const getMemory = defineRoute({
  id: "getMemory",
  group: "memories",
  method: "GET",
  path: "/v1/memories/{id}",
  auth: "jwt",
  params: IdParams,
  replies: { 200: Memory },
  errors: ["not_found"],
  summary: "Read a memory",
});

export const updateMemory = defineRoute({
  id: "updateMemory",
  group: "memories",
  method: "PATCH",
  path: "/v1/memories/{id}",
  auth: "jwt",
  params: IdParams,
  body: v.strictObject({
    text: v.optional(Text),
    category: v.optional(MemoryCategory),
    status: v.optional(v.literal("active", "can only become active")),
  }),
  replies: { 200: Memory },
  errors: ["not_found", "forbidden"],
  summary: "Change a memory, or accept a proposed one",
  description: "The tenant's memories are changed with `rbac.manage`.",
});

export const deleteMemory = defineRoute({
  id: "deleteMemory",
  group: "memories",
  method: "DELETE",
  path: "/v1/memories/{id}",
  auth: "jwt",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found", "forbidden"],
  summary: "Forget a memory, or reject a proposed one",
  description: "The tenant's memories are forgotten with `rbac.manage`.",
});
