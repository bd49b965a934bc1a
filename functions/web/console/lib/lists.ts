import type { Messenger } from "../../../../shared/api/messengers/event-ref.ts";
import { api } from "../session/session.ts";
import { useResource } from "./data.ts";
import { usePages } from "./pages.ts";

/** Maximum number of entries that are loaded at once for menus and pages, in requests for 100 each. */
const MAX_ENTRIES = 1_000;

const query = { limit: 100 };

/** Collects the entries of a list, at most 1,000. */
export async function upTo<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of entries) {
    found.push(entry);
    if (found.length >= MAX_ENTRIES) break;
  }
  return found;
}

export const usePersonas = () =>
  useResource("personas", async () => ({ personas: await upTo(api.list("/v1/personas", { params: { query } })) }));

/** Loads the models that personas and chats can use. */
export const useModels = () => useResource("models", () => api.GET("/v1/models"));

export const useCollections = (isNeeded = true) =>
  useResource(isNeeded ? "collections" : null, async () => ({
    collections: await upTo(api.list("/v1/knowledge/collections", { params: { query } })),
  }));

/**
 * Loads the conversations that the user can read, page by page.
 * @param key cache key; by default that of the list of all conversations
 */
export const useConversations = (
  key = "conversations:",
  filters: { readonly folder_id?: string; readonly q?: string } = {},
) =>
  usePages(
    key,
    (page) => api.GET("/v1/conversations", { params: { query: { ...filters, ...page } } }),
    ({ conversations }) => conversations,
  );

export const useFolders = () =>
  useResource("folders", async () => ({ folders: await upTo(api.list("/v1/folders", { params: { query } })) }));

export const useTemplates = (isNeeded = true) =>
  useResource(isNeeded ? "templates" : null, async () => ({
    templates: await upTo(api.list("/v1/templates", { params: { query } })),
  }));

export const useToolServers = () =>
  useResource("tool-servers", async () => ({
    servers: await upTo(api.list("/v1/tools/servers", { params: { query } })),
  }));

/** Loads the tool servers with the definitions of their tools. */
export const useServersWithTools = () =>
  useResource("servers-with-tools", async () => {
    const servers = await upTo(api.list("/v1/tools/servers", { params: { query } }));
    const load = (id: string) => api.GET("/v1/tools/servers/{id}", { params: { path: { id } } });
    return { servers: await Promise.all(servers.map(({ id }) => load(id))) };
  });

/** Loads the workspaces of a messenger, and whether the deployment has an app for it. */
export const useMessengerWorkspaces = (messenger: Messenger) =>
  useResource(`${messenger}-workspaces`, async () => {
    const path = { messenger };
    const [{ has_app }, workspaces] = await Promise.all([
      api.GET("/v1/messengers/{messenger}/workspaces", { params: { path, query: { limit: 1 } } }),
      upTo(api.list("/v1/messengers/{messenger}/workspaces", { params: { path, query } })),
    ]);
    return { has_app, workspaces };
  });
