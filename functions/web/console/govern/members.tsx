import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { api, can } from "../session/session.ts";
import { Badge, ResourceStatus, TextField } from "../ui/controls.tsx";
import { DataTable } from "../ui/list.tsx";

type Group = ReplyOf<"/v1/groups", "get">["groups"][number];

/** Number of members from which on the list has a filter field. */
const FILTER_THRESHOLD = 10;

/** Users of the organization: members of groups, and users with answers in the last 30 days. */
export function Members({ groups, onEdit }: { readonly groups: readonly Group[]; onEdit: (group: Group) => void }) {
  const usage = useResource(can("usage.read") ? "usage:members" : null, () =>
    api.GET("/v1/usage", { params: { query: { group_by: "user" } } }),
  );
  const [filter, setFilter] = useState("");
  const answers = new Map(
    usage.value?.usage.flatMap(({ user_id, requests }) => (user_id ? [[user_id, requests] as const] : [])),
  );
  const users = [...new Set([...groups.flatMap(({ member_ids }) => member_ids), ...answers.keys()])].sort();
  const members = users.map((id) => {
    const own = groups.filter(({ member_ids }) => member_ids.includes(id));
    return { id, groups: own, roles: [...new Set(own.flatMap(({ roles }) => roles))].sort() };
  });
  const text = filter.trim().toLowerCase();
  return (
    <section class="section">
      <h2>{t("Members")}</h2>
      <p class="muted small">
        {t(
          "Members of groups, and users with answers in the last 30 days. Roles that come with the sign-in are not listed here.",
        )}
      </p>
      {can("usage.read") && <ResourceStatus resource={usage} lines={2} />}
      {users.length > FILTER_THRESHOLD && (
        <TextField label={t("Filter by user id")} type="search" value={filter} onValue={setFilter} />
      )}
      <DataTable
        rows={members.filter(({ id }) => id.toLowerCase().includes(text))}
        keyOf={({ id }) => id}
        columns={[
          { label: t("User"), cell: ({ id }) => id },
          {
            label: t("Groups"),
            cell: (member) =>
              member.groups.length === 0 ? (
                "–"
              ) : (
                <span class="row wrap">
                  {member.groups.map((group) => (
                    <button key={group.id} type="button" class="link" onClick={() => onEdit(group)}>
                      {group.name}
                    </button>
                  ))}
                </span>
              ),
          },
          {
            label: t("Roles by groups"),
            cell: ({ roles }) => (roles.length === 0 ? "–" : roles.map((name) => <Badge key={name}>{name}</Badge>)),
          },
          ...(can("usage.read")
            ? [
                {
                  label: t("Answers in 30 days"),
                  cell: ({ id }: { id: string }) => formatNumber(answers.get(id) ?? 0),
                },
              ]
            : []),
        ]}
      />
      {users.length === 0 && (!can("usage.read") || usage.value !== null) && (
        <p class="muted">{t("There is no member yet.")}</p>
      )}
    </section>
  );
}
