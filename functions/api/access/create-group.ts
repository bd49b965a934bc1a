import { createGroup } from "#shared/api/access.ts";
import { newGroupWrites } from "#shared/data/group-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { newId } from "#shared/ids.ts";

export const handler = endpoint(createGroup, async ({ principal, body, commit }) => {
  const group = { id: newId(), ...body };
  return commit(group, ...newGroupWrites(principal, group));
});
