import { updateMemory } from "#shared/api/memory/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeMemoryScope } from "#shared/memory/memory-rules.ts";
import * as memories from "#shared/memory/memory-store.ts";

export const handler = endpoint(updateMemory, async ({ principal, params, body, rights }) => {
  const memory = await memories.getMemory(principal, params.id);
  if (memory.scope === "tenant") authorizeMemoryScope(memory.scope, (await rights()).permissions);
  const isEdited = body.text !== undefined && body.text !== memory.text;
  return memories.updateMemory(principal, memory, { ...body, ...(isEdited && { trusted: true }) });
});
