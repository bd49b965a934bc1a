import { useState } from "preact/hooks";
import type { Group } from "../../../../../shared/api/tenancy/access.ts";
import { useResource } from "../../lib/data.ts";
import { t, tn } from "../../lib/i18n.ts";
import { findPersonId, type PersonOption } from "../../lib/people/find-person-id.ts";
import { usePeople } from "../../lib/people/people.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";
import { nameRole } from "./role-texts.ts";

/** Loads the groups of the organization. */
export const useGroups = () => useResource("groups", () => api.GET("/v1/groups"));

/** Returns the user ids of a text with names or ids: a name is alone in its line, ids may be separated by spaces. */
const toIds = (text: string, people: readonly PersonOption[] | null) =>
  text
    .split(/[\n,]+/)
    .map((line) => findPersonId(line, people))
    .flatMap((entry) => entry.split(/\s+/))
    .filter(Boolean);

/** Groups of people who share roles. */
export function Groups({ isCreating, onCreated }: { readonly isCreating: boolean; readonly onCreated: () => void }) {
  const groups = useGroups();
  const [editing, setEditing] = useState<Group | null>(null);
  return (
    <>
      <ResourceStatus resource={groups} lines={2} />
      {groups.value?.groups.length === 0 && <p class="muted">{t("There is no group yet.")}</p>}
      <div class="cards">
        {groups.value?.groups.map((each) => (
          <button key={each.id} type="button" class="card stack tight" onClick={() => setEditing(each)}>
            <strong>{each.name}</strong>
            <span class="row wrap">
              {each.roles.map((name) => (
                <Badge key={name} title={name}>
                  {nameRole(name)}
                </Badge>
              ))}
            </span>
            <span class="small muted">{tn("{count} member", "{count} members", each.member_ids.length)}</span>
          </button>
        ))}
      </div>
      {isCreating && <GroupDialog group={null} onClose={onCreated} />}
      {editing && <GroupDialog group={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

/** Dialog that creates or changes a group. */
export function GroupDialog({ group, onClose }: { readonly group: Group | null; readonly onClose: () => void }) {
  const roles = useResource("roles", () => api.GET("/v1/roles"));
  const { people } = usePeople();
  return (
    <FormDialog
      title={group?.name ?? t("New group")}
      schema={bodySchema("/v1/groups", "post")}
      value={group}
      fields={[
        { name: "name", label: t("Name") },
        {
          name: "roles",
          label: t("Roles"),
          options: roles.value?.roles.map((role) => [role.name, nameRole(role.name)]) ?? [],
          isSearched: true,
        },
        {
          name: "member_ids",
          label: t("Names or user ids of the members, one per line"),
          rows: 5,
          isDisabled: people === null,
          parse: (draft) => (typeof draft === "string" ? toIds(draft, people) : draft),
        },
      ]}
      resource="groups"
      entity={{ path: "/v1/groups", id: group?.id }}
      deletion={{ text: t("Its members lose the roles of the group.") }}
      onClose={onClose}
    />
  );
}
