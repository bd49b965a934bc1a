import { useState } from "preact/hooks";
import type { Group } from "../../../../../shared/api/tenancy/access.ts";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { type Deletion, DeletionDialog, DeletionNotice } from "../../account/deletion-dialog.tsx";
import { invalidate, sendForEach, useResource } from "../../lib/data.ts";
import { formatAgo, formatNumber } from "../../lib/format.ts";
import { t, tn } from "../../lib/i18n.ts";
import { upTo } from "../../lib/lists.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { api, can, receptor } from "../../session/session.ts";
import { Button, IconButton } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { CheckField, TextField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";
import { GroupDialog, useGroups } from "./groups.tsx";
import { HandOverDialog } from "./hand-over-dialog.tsx";
import { nameRole } from "./role-texts.ts";

type Member = ReplyOf<"/v1/tenant/users", "get">["users"][number];

/** Number of groups in the row of a member. */
const MAX_SHOWN_GROUPS = 3;

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

const sendActive = ({ id }: Member, is_active: boolean) =>
  api.PATCH("/v1/tenant/users/{user_id}", { params: { path: { user_id: id } }, body: { is_active } });

function reloadPeople(): void {
  invalidate("members");
  invalidate("people");
}

async function setActive(member: Member, is_active: boolean): Promise<void> {
  await sendActive(member, is_active);
  reloadPeople();
  const name = labelOf(member);
  showToast(is_active ? t("{name} can use the service again.", { name }) : t("{name} is deactivated.", { name }));
}

/** People of the organization with their roles, groups and activity. Several can be added to a group or deactivated at once. */
export function Members() {
  const members = useMembers();
  const groupList = useGroups();
  const groups = groupList.value?.groups ?? [];
  const usage = useResource(can("usage.read") ? "usage:members" : null, () =>
    api.GET("/v1/usage", { params: { query: { group_by: "user" } } }),
  );
  const [filter, setFilter] = useState("");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<Group | null>(null);
  const [deactivating, setDeactivating] = useState<Member | null>(null);
  const [erasing, setErasing] = useState<Member | null>(null);
  const [deletion, setDeletion] = useState<Deletion | null>(null);
  const [handingOver, setHandingOver] = useState<Member | null>(null);
  const answers = new Map(usage.value?.usage.map(({ user_id, requests }) => [user_id, requests] as const));
  const all = members.value ?? [];
  const groupsOf = ({ id }: Member) => groups.filter(({ member_ids }) => member_ids.includes(id));
  const words = filter.toLowerCase().split(/\s+/);
  const found = all.filter((member) => {
    const { external_id, name, email } = member;
    const own = groupsOf(member);
    const text = [external_id, name, email, ...own.map((group) => group.name), ...rolesOf(member, own).map(nameRole)];
    return words.every((word) => text.join(" ").toLowerCase().includes(word));
  });
  const chosen = all.filter(({ id }) => selected.has(id));
  const select = (list: readonly Member[], isOn: boolean) => {
    const ids = list.map(({ id }) => id);
    setSelected(new Set(isOn ? [...selected, ...ids] : [...selected].filter((id) => !ids.includes(id))));
  };
  const columns: Column<Member>[] = [
    {
      label: t("Name"),
      cell: (member) => (
        <span class="row">
          <input
            type="checkbox"
            aria-label={t("Select {name}", { name: labelOf(member) })}
            checked={selected.has(member.id)}
            onChange={({ currentTarget }) => select([member], currentTarget.checked)}
          />
          <MemberName member={member} />
        </span>
      ),
    },
    { label: t("Email address"), cell: ({ email }) => email ?? "–" },
    {
      label: t("Groups"),
      cell: (member) =>
        groupsOf(member).length === 0 ? (
          "–"
        ) : (
          <span class="row wrap">
            {groupsOf(member)
              .slice(0, MAX_SHOWN_GROUPS)
              .map((group) => (
                <button key={group.id} type="button" class="link" onClick={() => setEditing(group)}>
                  {group.name}
                </button>
              ))}
            {groupsOf(member).length > MAX_SHOWN_GROUPS && (
              <Badge
                title={groupsOf(member)
                  .map(({ name }) => name)
                  .join(", ")}
              >
                {t("{count} more", { count: groupsOf(member).length - MAX_SHOWN_GROUPS })}
              </Badge>
            )}
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
    { label: t("Last seen"), cell: ({ last_seen_at }) => (last_seen_at ? formatAgo(last_seen_at) : t("never")) },
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
    <>
      <p class="muted small">
        {t(
          "People who have signed in, were provisioned, or for whom a program acted. Roles come with the sign-in and with groups.",
        )}
      </p>
      <ResourceStatus resource={members} lines={2} />
      <ResourceStatus resource={groupList} lines={1} />
      <TextField
        label={t("Search by name, email address, group or role")}
        type="search"
        value={filter}
        onValue={setFilter}
      />
      <div class="row wrap">
        <CheckField
          label={tn("Select {count} person", "Select {count} people", found.length)}
          checked={found.length > 0 && found.every(({ id }) => selected.has(id))}
          onValue={(isOn) => select(found, isOn)}
        />
        {chosen.length > 0 && <BulkActions members={chosen} groups={groups} onDone={() => setSelected(new Set())} />}
      </div>
      {deletion && <DeletionNotice key={deletion.id} started={deletion} />}
      {members.value && found.length === 0 && <p class="muted">{t("Nothing matches.")}</p>}
      <DataTable rows={found} keyOf={({ id }) => id} columns={columns} />
      {erasing && <DeletionDialog userId={erasing.id} onClose={() => setErasing(null)} onStarted={setDeletion} />}
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
      {editing && <GroupDialog group={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

/** Actions for several people at once. */
function BulkActions({
  members,
  groups,
  onDone,
}: {
  readonly members: readonly Member[];
  readonly groups: readonly Group[];
  readonly onDone: () => void;
}) {
  const [dialog, setDialog] = useState<"group" | "deactivate" | null>(null);
  const active = members.filter(({ id, is_active }) => is_active && id !== receptor.value?.user.user_id);
  const addToGroups = async (groupIds: readonly string[]) => {
    // The members of a group are sent as a whole, and others may have changed them since the page was loaded.
    const { groups: current } = await api.GET("/v1/groups");
    await sendForEach(
      current.filter(({ id }) => groupIds.includes(id)),
      ({ id, member_ids }) => {
        const body = { member_ids: [...new Set([...member_ids, ...members.map((member) => member.id)])] };
        return api.PATCH("/v1/groups/{id}", { params: { path: { id } }, body });
      },
    ).finally(() => invalidate("groups"));
  };
  return (
    <>
      <span class="small muted">{tn("{count} selected", "{count} selected", members.length)}</span>
      {groups.length > 0 && (
        <Button isSmall icon="people" onClick={() => setDialog("group")}>
          {t("Add to a group…")}
        </Button>
      )}
      {active.length > 0 && (
        <Button isSmall kind="danger-outline" onClick={() => setDialog("deactivate")}>
          {tn("Deactivate {count} person", "Deactivate {count} people", active.length)}
        </Button>
      )}
      {dialog === "group" && (
        <FormDialog
          title={t("Add to a group…")}
          fields={[
            {
              name: "group_ids",
              label: t("Groups"),
              options: groups.map(({ id, name }) => [id, name]),
              isSearched: true,
            },
          ]}
          onSave={({ group_ids }: { group_ids: string[] }) => addToGroups(group_ids)}
          onSaved={onDone}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "deactivate" && (
        <ConfirmDialog
          title={tn("Deactivate {count} person?", "Deactivate {count} people?", active.length)}
          text={`${active.map(labelOf).join(", ")}. ${t("Within 30 seconds, they can no longer use the service. Everything they own is kept.")}`}
          action={t("Deactivate")}
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await sendForEach(active, (member) => sendActive(member, false)).finally(reloadPeople);
            onDone();
          }}
        />
      )}
    </>
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
