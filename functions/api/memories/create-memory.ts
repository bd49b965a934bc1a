import { createMemory } from "#shared/api/memories.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import { memoryWrite, newMemory } from "#shared/data/memory-store.ts";
import { personaFor } from "#shared/data/persona-store.ts";
import { requireMemoryRight, scopeIdOf } from "#shared/domain/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createMemory, async ({ principal, body, rights, commit }) => {
  const scope_id = scopeIdOf(body.scope, body.scope_id, principal);
  if (body.scope === "tenant") requireMemoryRight(body.scope, (await rights()).permissions);
  if (body.scope === "conversation") await conversationFor(principal, scope_id, "READ");
  if (body.scope === "persona") await personaFor(principal, scope_id);
  const memory = newMemory(principal.userId, { ...body, scope_id, status: "active", source_message_id: null });
  return commit(memory, memoryWrite(principal, memory));
});
