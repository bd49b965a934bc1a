import { listFoldersRoute } from "#shared/api/conversations/folders.ts";
import { listFolders } from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listFoldersRoute, async ({ principal, query }) => {
  const page = await listFolders(principal, query);
  return pageReply("folders", page, query.limit);
});
