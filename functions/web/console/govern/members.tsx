import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { upTo } from "../lib/lists.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { type Column, DataTable } from "../ui/list.tsx";
import { Badge, ResourceStatus } from "../ui/status.tsx";
import { DeletionDialog } from "./deletion-dialog.tsx";
import { HandOverDialog } from "./hand-over-dialog.tsx";
import { nameRole } from "./role-texts.ts";

type Group = ReplyOf<"/v1/groups", "get">["groups"][number];
type Member = ReplyOf<"/v1/tenant/users", "get">["users"][number];

/** Number of members above which the list has a filter field. */
const FILTER_THRESHOLD = 10;

const labelOf = ({ external_id, name }: Member) => name ?? external_id;

/** Returns the roles of a member, by the sign-in and by groups, each once. */
const rolesOf = (member: Member, own: readonly Group[]) =>
  [...new Set([...member.roles, ...own.flatMap(({ roles }) => roles)])].sort();

/** Loads the people of the organization, without the services of API keys. */
const useMembers = () =>
  useResource("members", async () => {
    const users = await upTo(api.list("/v1/tenant/users", { params: { query: { limit: 100 } } }));
    return users.filter(({ id }) => !id.startsWith("swk:"));
  });

async function setActive(member: Member, is_active: boolean): Promise<void> {
  await api.PATCH("/v1/tenant/users/{user_id}", { params: { path: { user_id: member.id } }, body: { is_active } });
  invalidate("members");
  invalidate("people");
  const name = labelOf(member);
  showToast(is_active ? t("{name} can use the service again.", { name }) : t("{name} is deactivated.", { name }));
}

/** People of the organization with their roles, groups and activity. */
export function Members({ groups, onEdit }: { readonly groups: readonly Group[]; onEdit: (group: Group) => void }) {
  const members = useMembers();
  const usage = useResource(can("usage.read") ? "usage:members" : null, () =>
    api.GET("/v1/usage", { params: { query: { group_by: "user" } } }),
  );
  const [filter, setFilter] = useState("");
  const [deactivating, setDeactivating] = useState<Member | null>(null);
  const [erasing, setErasing] = useState<Member | null>(null);
  const [handingOver, setHandingOver] = useState<Member | null>(null);
  const answers = new Map(usage.value?.usage.map(({ user_id, requests }) => [user_id, requests] as const));
  const all = members.value ?? [];
  const text = filter.trim().toLowerCase();
  const isFound = ({ external_id, name, email }: Member) =>
    [external_id, name, email].some((each) => each?.toLowerCase().includes(text));
  const groupsOf = ({ id }: Member) => groups.filter(({ member_ids }) => member_ids.includes(id));
  const columns: Column<Member>[] = [
    { label: t("Name"), cell: (member) => <MemberName member={member} /> },
    { label: t("Email address"), cell: ({ email }) => email ?? "–" },
    {
      label: t("Groups"),
      cell: (member) =>
        groupsOf(member).length === 0 ? (
          "–"
        ) : (
          <span class="row wrap">
            {groupsOf(member).map((group) => (
              <button key={group.id} type="button" class="link" onClick={() => onEdit(group)}>
                {group.name}
              </button>
            ))}
          </span>
        ),
    },
    {
      label: t("Roles"),
      cell: (member) => (
        <span class="row wrap">
          {rolesOf(member, groupsOf(member)).map((name) => (
            <Badge key={name} title={name}>
              {nameRole(name)}
            </Badge>
          ))}
        </span>
      ),
    },
    {
      label: t("Last seen"),
      cell: ({ last_seen_at }) => (last_seen_at ? formatAgo(last_seen_at) : t("never")),
    },
    ...(can("usage.read")
      ? [{ label: t("Answers in 30 days"), cell: ({ id }: Member) => formatNumber(answers.get(id) ?? 0) }]
      : []),
    {
      label: null,
      cell: (member) => (
        <span class="row">
          {!member.is_active ? (
            <Button isSmall onClick={() => setActive(member, true).catch(showError)}>
              {t("Reactivate")}
            </Button>
          ) : (
            member.id !== receptor.value?.user.user_id && (
              <Button isSmall kind="danger-outline" onClick={() => setDeactivating(member)}>
                {t("Deactivate")}
              </Button>
            )
          )}
          {!member.is_active && can("users.hand_over") && (
            <Button isSmall onClick={() => setHandingOver(member)}>
              {t("Hand over…")}
            </Button>
          )}
          <IconButton
            icon="trash"
            label={t("Erase the data of {name}", { name: labelOf(member) })}
            onClick={() => setErasing(member)}
          />
        </span>
      ),
    },
  ];
  return (
    <section class="section">
      <h2>{t("Members")}</h2>
      <p class="muted small">
        {t(
          "People who have signed in, were provisioned, or for whom a program acted. Roles come with the sign-in and with groups.",
        )}
      </p>
      <ResourceStatus resource={members} lines={2} />
      {all.length > FILTER_THRESHOLD && (
        <TextField label={t("Filter by name, email address or id")} type="search" value={filter} onValue={setFilter} />
      )}
      <DataTable rows={all.filter(isFound)} keyOf={({ id }) => id} columns={columns} />
      {erasing && (
        <DeletionDialog
          userId={erasing.id}
          onClose={() => setErasing(null)}
          onStarted={() => showToast(t("The data of {user} is being erased…", { user: labelOf(erasing) }))}
        />
      )}
      {handingOver && <HandOverDialog userId={handingOver.id} onClose={() => setHandingOver(null)} />}
      {deactivating && (
        <ConfirmDialog
          title={t("Deactivate {name}?", { name: labelOf(deactivating) })}
          text={t("Within 30 seconds, the person can no longer use the service. Everything the person owns is kept.")}
          action={t("Deactivate")}
          onClose={() => setDeactivating(null)}
          onConfirm={() => setActive(deactivating, false)}
        />
      )}
    </section>
  );
}

function MemberName({ member }: { readonly member: Member }) {
  const { external_id, name, is_active, is_provisioned } = member;
  return (
    <span class="stack tight">
      <span class="row wrap">
        {labelOf(member)}
        {!is_active && <Badge kind="danger">{t("deactivated")}</Badge>}
        {is_provisioned && <Badge>SCIM</Badge>}
      </span>
      {name && <span class="muted small">{external_id}</span>}
    </span>
  );
}
