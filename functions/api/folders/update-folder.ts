import { updateFolder } from "#shared/api/conversations/folders.ts";
import * as folders from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateFolder, ({ principal, params, body }) =>
  folders.updateFolder(principal, params.id, body),
);
