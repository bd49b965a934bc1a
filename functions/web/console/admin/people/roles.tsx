import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { useResource } from "../../lib/data.ts";
import { t, tn } from "../../lib/i18n.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";
import { describePermission } from "./permission-texts.ts";
import { describeRole, nameRole } from "./role-texts.ts";

type Role = ReplyOf<"/v1/roles", "get">["roles"][number];

/** Roles with their permissions. */
export function Roles({ isCreating, onCreated }: { readonly isCreating: boolean; readonly onCreated: () => void }) {
  const roles = useResource("roles", () => api.GET("/v1/roles"));
  const [editing, setEditing] = useState<Role | null>(null);
  return (
    <>
      <ResourceStatus resource={roles} />
      <div class="cards">
        {roles.value?.roles.map((each) => (
          <button key={each.name} type="button" class="card stack tight" onClick={() => setEditing(each)}>
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
      {(isCreating || editing) && (
        <RoleDialog
          role={editing}
          onClose={() => {
            setEditing(null);
            onCreated();
          }}
        />
      )}
    </>
  );
}

function RoleDialog({ role, onClose }: { readonly role: Role | null; readonly onClose: () => void }) {
  const known = useResource("permissions", () => api.GET("/v1/permissions"));
  const isReadOnly = role?.built_in ?? false;
  return (
    <FormDialog
      title={role ? nameRole(role.name) : t("New role")}
      isWide
      isReadOnly={isReadOnly}
      schema={bodySchema("/v1/roles", "post")}
      value={role}
      fields={[
        role === null && { name: "name", label: t("Name"), hint: t("Letters, digits and . _ : -") },
        { name: "description", label: t("Description") },
        {
          name: "permissions",
          label: t("Permissions"),
          options:
            known.value?.permissions.map(({ name, description }) => [name, describePermission(name, description)]) ??
            [],
          describeOption: (permission) => permission,
        },
        isReadOnly && <p class="muted small">{t("Built-in roles cannot be changed.")}</p>,
      ]}
      resource="roles"
      entity={{ path: "/v1/roles", id: role?.name }}
      deletion={{ text: t("Users with this role lose its permissions immediately.") }}
      onClose={onClose}
    />
  );
}
