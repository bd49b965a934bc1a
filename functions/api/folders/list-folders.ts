import { listFolders } from "#shared/api/conversations/folders.ts";
import * as folders from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listFolders, async ({ principal, query }) => {
  const { entries, next } = await folders.listFolders(principal, query);
  return { folders: [...entries], limit: query.limit, next_cursor: next };
});
