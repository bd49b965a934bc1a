import { createFolder } from "#shared/api/folders.ts";
import { newFolder, newFolderWrites } from "#shared/data/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createFolder, async ({ principal, body, commit }) => {
  const folder = newFolder(body);
  return commit(folder, ...(await newFolderWrites(principal, folder)));
});
