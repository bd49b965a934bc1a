import type { ReplyOf } from "../../../../shared/client/index.ts";
import { type Resource, useResource } from "../lib/data.ts";
import { usePersonas } from "../lib/lists.ts";
import { findPersonId } from "../lib/people/find-person-id.ts";
import { usePeople } from "../lib/people/people.ts";
import { api, can } from "../session/session.ts";

type Scope = ReplyOf<"/v1/budgets", "get">["budgets"][number]["scope"];

interface Subject {
  readonly id: string;
  readonly name: string;
}

/** Returns null while a resource loads, and no subjects if it cannot be loaded. */
const noneOf = ({ isLoading }: Resource<unknown>) => (isLoading ? null : []);

/** Loads what budgets can be for, by type. Subjects are null until they are loaded. */
export function useBudgetSubjects() {
  const { people } = usePeople();
  const personas = usePersonas();
  const groups = useResource(can("rbac.manage") ? "groups" : null, () => api.GET("/v1/groups"));
  const keys = useResource(can("rbac.manage") ? "api-keys" : null, () => api.GET("/v1/tenant/api-keys"));
  const subjects: Readonly<Record<Scope["type"], readonly Subject[] | null>> = {
    tenant: [],
    group: groups.value?.groups ?? noneOf(groups),
    user: people,
    key:
      keys.value?.keys
        .filter(({ is_revoked }) => !is_revoked)
        .map(({ id, description, key_hint }) => ({ id, name: description || `…${key_hint ?? id}` })) ?? noneOf(keys),
    persona: personas.value?.personas ?? noneOf(personas),
  };
  return {
    subjects,
    /** Returns the name of the subject of a scope; null for a scope of all subjects. */
    nameOf: ({ type, id }: Scope): string | null =>
      id === null ? null : (subjects[type]?.find((subject) => subject.id === id)?.name ?? id),
    /** Returns the id of the subject with this name; otherwise the text, which is an id then. */
    idOf: (type: Scope["type"], text: string): string | null => findPersonId(text, subjects[type]) || null,
  };
}
