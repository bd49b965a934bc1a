import { api } from "../session/session.ts";
import { useResource } from "./data.ts";

/** Maximum number of entries of a list that menus and pages load at once, in requests for 100 each. */
const MAX_ENTRIES = 1_000;

const query = { limit: 100 };

/** Returns the entries of a list, at most 1,000. */
export async function upTo<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of entries) {
    found.push(entry);
    if (found.length >= MAX_ENTRIES) break;
  }
  return found;
}

/** Loads the personas that the user can use. */
export const usePersonas = () =>
  useResource("personas", async () => ({ personas: await upTo(api.list("/v1/personas", { params: { query } })) }));

/** Loads the models that personas and questions can name. */
export const useModels = () => useResource("models", () => api.GET("/v1/models"));

/** Loads the collections that the user can read. */
export const useCollections = () =>
  useResource("collections", async () => ({
    collections: await upTo(api.list("/v1/knowledge/collections", { params: { query } })),
  }));
