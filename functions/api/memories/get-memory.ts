import { getMemory } from "#shared/api/memory/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as memories from "#shared/memory/memory-store.ts";

export const handler = endpoint(getMemory, ({ principal, params }) => memories.getMemory(principal, params.id));
