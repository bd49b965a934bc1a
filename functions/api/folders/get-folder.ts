import { getFolder } from "#shared/api/conversations/folders.ts";
import * as folders from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getFolder, ({ principal, params }) => folders.getFolder(principal, params.id));
