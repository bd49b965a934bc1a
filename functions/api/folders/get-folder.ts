import { getFolderRoute } from "#shared/api/conversations/folders.ts";
import { getFolder } from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getFolderRoute, ({ principal, params }) => getFolder(principal, params.id));
