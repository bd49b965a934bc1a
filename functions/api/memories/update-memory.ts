import { updateMemoryRoute } from "#shared/api/memory/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeMemoryScope } from "#shared/memory/memory-rules.ts";
import { getMemory, updateMemory } from "#shared/memory/memory-store.ts";

export const handler = endpoint(updateMemoryRoute, async ({ principal, params, body, rights }) => {
  const memory = await getMemory(principal, params.id);
  if (memory.scope === "tenant") authorizeMemoryScope(memory.scope, (await rights()).permissions);
  const isEdited = body.text !== undefined && body.text !== memory.text;
  return updateMemory(principal, memory, { ...body, ...(isEdited && { trusted: true }) });
});
