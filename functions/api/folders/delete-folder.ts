import { deleteFolderRoute } from "#shared/api/conversations/folders.ts";
import { purgeFolder } from "#shared/conversations/folders/folder-purge.ts";
import { getFolder, softDeleteFolder } from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

/**
 * Maximum number of conversations that are moved before the response, so that few stay visible in a deleted folder. A stream
 * processor moves the others.
 */
const maxMovedSynchronously = 100;

export const handler = endpoint(deleteFolderRoute, async ({ principal, params }) => {
  await softDeleteFolder(principal, await getFolder(principal, params.id));
  await purgeFolder(principal, params.id, maxMovedSynchronously);
});
