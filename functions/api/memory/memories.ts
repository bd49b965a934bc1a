import {
  createMemoryRoute,
  deleteMemoryRoute,
  getMemoryRoute,
  listMemoriesRoute,
  updateMemoryRoute,
} from "#shared/api/memory/memories.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { authorizeMemoryScope, resolveScopeId } from "#shared/memory/memory-rules.ts";
import {
  deleteMemory,
  getMemory,
  listMemories,
  newMemory,
  newMemoryWrite,
  updateMemory,
} from "#shared/memory/memory-store.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";

export const createMemoryHandler = endpoint(createMemoryRoute, async ({ principal, body, rights, commit }) => {
  const scope_id = resolveScopeId(body.scope, body.scope_id, principal);
  if (body.scope === "tenant") authorizeMemoryScope(body.scope, (await rights()).permissions);
  if (body.scope === "conversation") await authorizeConversation(principal, scope_id, "READ");
  if (body.scope === "persona") await authorizePersonaUse(principal, scope_id);
  const memory = newMemory(principal.userId, { ...body, scope_id, status: "active", source_message_id: null });
  return commit(memory, newMemoryWrite(principal, memory));
});

export const deleteMemoryHandler = endpoint(deleteMemoryRoute, async ({ principal, params, rights }) => {
  const memory = await getMemory(principal, params.id);
  if (memory.scope === "tenant") authorizeMemoryScope(memory.scope, (await rights()).permissions);
  await deleteMemory(principal, memory);
});

export const getMemoryHandler = endpoint(getMemoryRoute, ({ principal, params }) => getMemory(principal, params.id));

export const listMemoriesHandler = endpoint(listMemoriesRoute, async ({ principal, query }) => {
  const page = await listMemories(principal, query);
  return pageReply("memories", page, query.limit);
});

export const updateMemoryHandler = endpoint(updateMemoryRoute, async ({ principal, params, body, rights }) => {
  const memory = await getMemory(principal, params.id);
  if (memory.scope === "tenant") authorizeMemoryScope(memory.scope, (await rights()).permissions);
  const isEdited = body.text !== undefined && body.text !== memory.text;
  return updateMemory(principal, memory, { ...body, ...(isEdited && { trusted: true }) });
});
