import { createFolderRoute } from "#shared/api/conversations/folders.ts";
import { newFolder, newFolderWrites } from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createFolderRoute, async ({ principal, body, commit }) => {
  const folder = newFolder(body);
  return commit(folder, ...(await newFolderWrites(principal, folder)));
});
