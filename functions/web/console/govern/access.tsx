import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { t, tn } from "../lib/i18n.ts";
import { findPersonId, type PersonOption } from "../lib/people/find-person-id.ts";
import { usePeople } from "../lib/people/people.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { CheckField, TextField } from "../ui/fields.tsx";
import { EditDialog } from "../ui/form.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { Badge, ResourceStatus } from "../ui/status.tsx";
import { Invitations } from "./invitations.tsx";
import { Members } from "./members.tsx";
import { describePermission } from "./permission-texts.ts";
import { describeRole, nameRole } from "./role-texts.ts";

type Role = ReplyOf<"/v1/roles", "get">["roles"][number];
type Group = ReplyOf<"/v1/groups", "get">["groups"][number];
type Permission = Role["permissions"][number];

/** Returns the user ids of a text with names or ids: a name is alone in its line, ids may be separated by spaces. */
const toIds = (text: string, people: readonly PersonOption[] | null) =>
  text
    .split(/[\n,]+/)
    .map((line) => findPersonId(line, people))
    .flatMap((entry) => entry.split(/\s+/))
    .filter(Boolean);

/** Roles, their permissions, and groups of users who share roles. */
export function AccessView() {
  const roles = useResource("roles", () => api.GET("/v1/roles"));
  const groups = useResource("groups", () => api.GET("/v1/groups"));
  const [role, setRole] = useState<Role | "new" | null>(null);
  const [group, setGroup] = useState<Group | "new" | null>(null);
  return (
    <PageLayout
      title={t("Members and roles")}
      intro={t("Roles come with the sign-in of a user. Groups give their members further roles.")}
      back={{ path: "/console/govern", label: t("Govern"), isNarrowOnly: true }}
    >
      <section class="section">
        <div class="row between">
          <h2>{t("Roles")}</h2>
          <Button isSmall icon="plus" onClick={() => setRole("new")}>
            {t("New role")}
          </Button>
        </div>
        <ResourceStatus resource={roles} />
        <div class="cards">
          {roles.value?.roles.map((each) => (
            <button key={each.name} type="button" class="card stack tight" onClick={() => setRole(each)}>
              <span class="row between wrap">
                <strong title={each.name}>{nameRole(each.name)}</strong>
                {each.built_in && <Badge kind="accent">{t("built in")}</Badge>}
              </span>
              <span class="muted small">
                {each.built_in ? describeRole(each.name, each.description) : each.description}
              </span>
              <span class="small">{tn("{count} permission", "{count} permissions", each.permissions.length)}</span>
            </button>
          ))}
        </div>
      </section>
      <section class="section">
        <div class="row between">
          <h2>{t("Groups")}</h2>
          <Button isSmall icon="plus" onClick={() => setGroup("new")}>
            {t("New group")}
          </Button>
        </div>
        <ResourceStatus resource={groups} lines={2} />
        {groups.value?.groups.length === 0 && <p class="muted">{t("There is no group yet.")}</p>}
        <div class="cards">
          {groups.value?.groups.map((each) => (
            <button key={each.id} type="button" class="card stack tight" onClick={() => setGroup(each)}>
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
      </section>
      {groups.value && <Members groups={groups.value.groups} onEdit={setGroup} />}
      {groups.value && <Invitations groups={groups.value.groups} />}
      {role && <RoleDialog role={role === "new" ? null : role} onClose={() => setRole(null)} />}
      {group && (
        <GroupDialog
          group={group === "new" ? null : group}
          roles={roles.value?.roles ?? []}
          onClose={() => setGroup(null)}
        />
      )}
    </PageLayout>
  );
}

function RoleDialog({ role, onClose }: { readonly role: Role | null; readonly onClose: () => void }) {
  const known = useResource("permissions", () => api.GET("/v1/permissions"));
  const [name, setName] = useState(role?.name ?? "");
  const [description, setDescription] = useState(role?.description ?? "");
  const [permissions, setPermissions] = useState<readonly Permission[]>(role?.permissions ?? []);
  const isReadOnly = role?.built_in ?? false;
  const params = { path: { name: role?.name ?? "" } };
  const save = async () => {
    const body = { description, permissions: [...permissions] };
    if (role) await api.PATCH("/v1/roles/{name}", { params, body });
    else await api.POST("/v1/roles", { body: { ...body, name } });
    invalidate("roles");
  };
  return (
    <EditDialog
      title={role ? nameRole(role.name) : t("New role")}
      isWide
      isReadOnly={isReadOnly}
      deletion={
        role && {
          title: t("Delete {name}?", { name: role.name }),
          text: t("Users with this role lose its permissions immediately."),
          onConfirm: async () => {
            await api.DELETE("/v1/roles/{name}", { params });
            invalidate("roles");
          },
        }
      }
      onSave={save}
      onClose={onClose}
    >
      {role === null && (
        <TextField
          label={t("Name")}
          name="name"
          hint={t("Letters, digits and . _ : -")}
          value={name}
          onValue={setName}
          required
          autoFocus
        />
      )}
      <TextField
        label={t("Description")}
        name="description"
        value={description}
        onValue={setDescription}
        maxLength={500}
      />
      <div class="checks">
        {known.value?.permissions.map(({ name: permission, description: text }) => (
          <CheckField
            key={permission}
            label={describePermission(permission, text)}
            hint={permission}
            disabled={isReadOnly}
            checked={permissions.includes(permission as Permission)}
            onValue={(isOn) =>
              setPermissions(
                isOn ? [...permissions, permission as Permission] : permissions.filter((each) => each !== permission),
              )
            }
          />
        ))}
      </div>
      {isReadOnly && <p class="muted small">{t("Built-in roles cannot be changed.")}</p>}
    </EditDialog>
  );
}

function GroupDialog({
  group,
  roles,
  onClose,
}: {
  readonly group: Group | null;
  readonly roles: readonly Role[];
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(group?.name ?? "");
  const [chosen, setChosen] = useState<readonly string[]>(group?.roles ?? []);
  const [members, setMembers] = useState(group?.member_ids.join("\n") ?? "");
  const { people } = usePeople();
  const params = { path: { id: group?.id ?? "" } };
  const save = async () => {
    const body = { name, roles: [...chosen], member_ids: toIds(members, people) };
    if (group) await api.PATCH("/v1/groups/{id}", { params, body });
    else await api.POST("/v1/groups", { body });
    invalidate("groups");
  };
  return (
    <EditDialog
      title={group?.name ?? t("New group")}
      deletion={
        group && {
          title: t("Delete {name}?", { name: group.name }),
          text: t("Its members lose the roles of the group."),
          onConfirm: async () => {
            await api.DELETE("/v1/groups/{id}", { params });
            invalidate("groups");
          },
        }
      }
      onSave={save}
      onClose={onClose}
    >
      <TextField label={t("Name")} name="name" value={name} onValue={setName} maxLength={100} required autoFocus />
      <fieldset>
        <legend class="label">{t("Roles")}</legend>
        <div class="checks">
          {roles.map((role) => (
            <CheckField
              key={role.name}
              label={nameRole(role.name)}
              hint={role.built_in ? role.name : undefined}
              checked={chosen.includes(role.name)}
              onValue={(isOn) => setChosen(isOn ? [...chosen, role.name] : chosen.filter((each) => each !== role.name))}
            />
          ))}
        </div>
      </fieldset>
      <TextField
        label={t("Names or user ids of the members, one per line")}
        name="member_ids"
        value={members}
        onValue={setMembers}
        rows={5}
        disabled={people === null}
      />
    </EditDialog>
  );
}
