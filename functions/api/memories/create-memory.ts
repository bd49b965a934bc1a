import { createMemoryRoute } from "#shared/api/memory/memories.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeMemoryScope, resolveScopeId } from "#shared/memory/memory-rules.ts";
import { newMemory, newMemoryWrite } from "#shared/memory/memory-store.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";

export const handler = endpoint(createMemoryRoute, async ({ principal, body, rights, commit }) => {
  const scope_id = resolveScopeId(body.scope, body.scope_id, principal);
  if (body.scope === "tenant") authorizeMemoryScope(body.scope, (await rights()).permissions);
  if (body.scope === "conversation") await authorizeConversation(principal, scope_id, "READ");
  if (body.scope === "persona") await authorizePersonaUse(principal, scope_id);
  const memory = newMemory(principal.userId, { ...body, scope_id, status: "active", source_message_id: null });
  return commit(memory, newMemoryWrite(principal, memory));
});
