import { updateFolderRoute } from "#shared/api/conversations/folders.ts";
import { updateFolder } from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateFolderRoute, ({ principal, params, body }) =>
  updateFolder(principal, params.id, body),
);
