import { listFolders } from "#shared/api/conversations/folders.ts";
import * as folders from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listFolders, async ({ principal, query }) => {
  const page = await folders.listFolders(principal, query);
  return pageReply("folders", page, query.limit);
});
