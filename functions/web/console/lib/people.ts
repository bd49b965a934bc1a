import { api, can, receptor } from "../session/session.ts";
import { useResource } from "./data.ts";
import { upTo } from "./lists.ts";

/** Returns the name that is shown for a user. */
export type NameOf = (userId: string) => string;

/** User of the organization, for choices. */
export interface Person {
  readonly id: string;
  readonly name: string;
}

/** Loads the users of the organization, if the user may see them; others know their own name only. */
export function usePeople(): { readonly people: readonly Person[]; readonly nameOf: NameOf } {
  const query = { limit: 100 };
  const list = useResource(can("rbac.manage") ? "people" : null, () =>
    upTo(api.list("/v1/tenant/users", { params: { query } })),
  );
  const self = receptor.value?.user;
  const known = (list.value ?? []).flatMap(({ id, name }) => (name ? [[id, name] as const] : []));
  const names = new Map(self?.name ? [[self.user_id, self.name], ...known] : known);
  return {
    people: (list.value ?? []).map(({ id }) => ({ id, name: names.get(id) ?? id })),
    nameOf: (userId) => names.get(userId) ?? userId,
  };
}
