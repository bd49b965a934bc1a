import { getMemoryRoute } from "#shared/api/memory/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getMemory } from "#shared/memory/memory-store.ts";

export const handler = endpoint(getMemoryRoute, ({ principal, params }) => getMemory(principal, params.id));
