import {
  createFolderRoute,
  deleteFolderRoute,
  getFolderRoute,
  listFoldersRoute,
  updateFolderRoute,
} from "#shared/api/conversations/folders.ts";
import { purgeFolder } from "#shared/conversations/folders/folder-purge.ts";
import {
  getFolder,
  listFolders,
  newFolder,
  newFolderWrites,
  softDeleteFolder,
  updateFolder,
} from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const createFolderHandler = endpoint(createFolderRoute, async ({ principal, body, commit }) => {
  const folder = newFolder(body);
  return commit(folder, ...(await newFolderWrites(principal, folder)));
});

/**
 * Maximum number of conversations that are moved before the response, so that few stay visible in a deleted folder. A stream
 * processor moves the others.
 */
const maxMovedSynchronously = 100;

export const deleteFolderHandler = endpoint(deleteFolderRoute, async ({ principal, params }) => {
  await softDeleteFolder(principal, await getFolder(principal, params.id));
  await purgeFolder(principal, params.id, maxMovedSynchronously);
});

export const getFolderHandler = endpoint(getFolderRoute, ({ principal, params }) => getFolder(principal, params.id));

export const listFoldersHandler = endpoint(listFoldersRoute, async ({ principal, query }) => {
  const page = await listFolders(principal, query);
  return pageReply("folders", page, query.limit);
});

export const updateFolderHandler = endpoint(updateFolderRoute, ({ principal, params, body }) =>
  updateFolder(principal, params.id, body),
);
