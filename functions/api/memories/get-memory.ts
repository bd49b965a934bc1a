import { getMemory } from "#shared/api/memories.ts";
import * as memories from "#shared/data/memory-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getMemory, ({ principal, params }) => memories.getMemory(principal, params.id));
