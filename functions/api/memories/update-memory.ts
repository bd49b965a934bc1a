import { updateMemory } from "#shared/api/memories.ts";
import * as memories from "#shared/data/memory-store.ts";
import { requireMemoryRight } from "#shared/domain/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateMemory, async ({ principal, params, body, rights }) => {
  const memory = await memories.getMemory(principal, params.id);
  if (memory.scope === "tenant") requireMemoryRight(memory.scope, (await rights()).permissions);
  return memories.updateMemory(principal, memory, body);
});
