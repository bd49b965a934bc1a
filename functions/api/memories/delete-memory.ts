import { deleteMemory } from "#shared/api/memories.ts";
import * as memories from "#shared/data/memory-store.ts";
import { requireMemoryRight } from "#shared/domain/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteMemory, async ({ principal, params, rights }) => {
  const memory = await memories.getMemory(principal, params.id);
  if (memory.scope === "tenant") requireMemoryRight(memory.scope, (await rights()).permissions);
  await memories.deleteMemory(principal, memory);
});
