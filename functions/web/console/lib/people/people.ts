import { isVisitorId, toIdentityValue } from "../../../../../shared/api/user-ids.ts";
import { api, receptor } from "../../session/session.ts";
import { useResource } from "../data.ts";
import { t } from "../i18n.ts";
import { upTo } from "../lists.ts";
import type { PersonOption } from "./find-person-id.ts";

/** Returns the name that is shown for a user. */
export type NameOf = (userId: string) => string;

/** Loads the users of the organization. `nameOf` also names deactivated users, who are not in `people`. */
export function usePeople(): {
  /** Null until the names are known. */
  readonly people: readonly PersonOption[] | null;
  readonly nameOf: NameOf;
} {
  const query = { limit: 100 };
  const list = useResource("people", () => upTo(api.list("/v1/tenant/people", { params: { query } })));
  const self = receptor.value?.user;
  const known = (list.value ?? []).map(({ id, external_id, name }) => [id, name || external_id] as const);
  const names = new Map(self?.name ? [[self.user_id, self.name], ...known] : known);
  const isLoading = list.value === null && list.isLoading;
  const active = (list.value ?? []).filter(({ is_active }) => is_active);
  return {
    people: isLoading ? null : active.map(({ id }) => ({ id, name: names.get(id) ?? id })),
    nameOf: (userId) => (isVisitorId(userId) ? t("Visitor") : (names.get(userId) ?? toIdentityValue(userId))),
  };
}
