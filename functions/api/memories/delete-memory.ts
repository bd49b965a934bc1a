import { deleteMemoryRoute } from "#shared/api/memory/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeMemoryScope } from "#shared/memory/memory-rules.ts";
import { deleteMemory, getMemory } from "#shared/memory/memory-store.ts";

export const handler = endpoint(deleteMemoryRoute, async ({ principal, params, rights }) => {
  const memory = await getMemory(principal, params.id);
  if (memory.scope === "tenant") authorizeMemoryScope(memory.scope, (await rights()).permissions);
  await deleteMemory(principal, memory);
});
