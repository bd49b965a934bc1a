import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { invalidate, useResource } from "../../lib/data.ts";
import { formatAgo, formatDate } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { usePeople } from "../../lib/people/people.ts";
import { api } from "../../session/session.ts";
import { IconButton } from "../../ui/buttons.tsx";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useConfirmation } from "../../ui/resource-page.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";
import { useGroups } from "./groups.tsx";

type Invitation = ReplyOf<"/v1/tenant/invitations", "get">["invitations"][number];

/** Links by which people join groups. */
export function Invitations() {
  const groups = useGroups().value?.groups ?? [];
  const list = useResource("invitations", () => api.GET("/v1/tenant/invitations"));
  const { nameOf } = usePeople();
  const { confirm, confirmation } = useConfirmation(() => invalidate("invitations"));
  const invitations = list.value?.invitations ?? [];
  const namesOf = ({ group_ids, is_administrator }: Invitation) => [
    ...(is_administrator ? [t("Administrators")] : []),
    ...group_ids.map((id) => groups.find((group) => group.id === id)?.name ?? id),
  ];
  return (
    <>
      <ResourceStatus resource={list} lines={1} />
      {list.value && invitations.length === 0 && <p class="muted">{t("There is no invitation.")}</p>}
      <DataTable
        rows={invitations}
        keyOf={({ id }) => id}
        columns={[
          { label: t("For"), cell: ({ note }) => note || t("No description") },
          { label: t("Groups"), cell: (invitation) => namesOf(invitation).join(", ") || "–" },
          { label: t("State"), cell: (invitation) => <InvitationState invitation={invitation} nameOf={nameOf} /> },
          { label: t("Created"), cell: ({ created_at }) => formatAgo(created_at) },
          {
            label: null,
            cell: (invitation) => (
              <IconButton
                icon="trash"
                label={t("Revoke the invitation {name}", {
                  name: invitation.note || formatDate(invitation.created_at),
                })}
                onClick={() =>
                  confirm({
                    title: t("Revoke the invitation?"),
                    text: t("Its link no longer works. A person who accepted it keeps the groups."),
                    action: t("Revoke"),
                    send: () => api.DELETE("/v1/tenant/invitations/{id}", { params: { path: { id: invitation.id } } }),
                  })
                }
              />
            ),
          },
        ]}
      />
      {confirmation}
    </>
  );
}

function InvitationState({
  invitation: { status, accepted_by, expires_at },
  nameOf,
}: {
  readonly invitation: Invitation;
  readonly nameOf: (id: string) => string;
}) {
  if (status === "accepted") {
    return <Badge kind="success">{t("accepted by {user}", { user: nameOf(accepted_by ?? "") })}</Badge>;
  }
  if (status === "expired") return <Badge kind="warning">{t("expired")}</Badge>;
  return <Badge kind="accent">{t("until {date}", { date: formatDate(expires_at) })}</Badge>;
}

/** Dialog that makes a link by which a person joins groups. */
export function InvitationDialog({ onClose }: { readonly onClose: () => void }) {
  const groups = useGroups().value?.groups ?? [];
  return (
    <FormDialog
      title={t("Invite a person")}
      action={t("Create link")}
      schema={bodySchema("/v1/tenant/invitations", "post")}
      fields={[
        { name: "note", label: t("For"), hint: t("A name or an email address, for your list. Nothing is sent.") },
        {
          name: "group_ids",
          label: t("Groups"),
          hint: t("The person joins them with the link."),
          options: groups.map(({ id, name }) => [id, name]),
          isSearched: true,
        },
        {
          name: "expires_in_days",
          label: t("Valid for"),
          options: [
            ["1", t("1 day")],
            ["7", t("7 days")],
            ["30", t("30 days")],
          ],
        },
      ]}
      resource="invitations"
      onSave={(body) => api.POST("/v1/tenant/invitations", { body })}
      renderResult={({ url }) => ({
        content: (
          <>
            <CodeSnippet title={t("Copy this link now. It is shown only once, and works once.")} code={url} />
            <p class="muted small">{t("The person opens it and signs in with an account of your organization.")}</p>
          </>
        ),
      })}
      onClose={onClose}
    />
  );
}
