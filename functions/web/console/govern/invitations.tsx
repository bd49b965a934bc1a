import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDate } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePeople } from "../lib/people/people.ts";
import { api } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";
import { DataTable } from "../ui/list.tsx";
import { Badge, ResourceStatus } from "../ui/status.tsx";
import { nameRole } from "./role-texts.ts";

type Group = ReplyOf<"/v1/groups", "get">["groups"][number];
type Invitation = ReplyOf<"/v1/tenant/invitations", "get">["invitations"][number];

/** Links by which people join groups. */
export function Invitations({ groups }: { readonly groups: readonly Group[] }) {
  const list = useResource("invitations", () => api.GET("/v1/tenant/invitations"));
  const { nameOf } = usePeople();
  const [isInviting, setInviting] = useState(false);
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const invitations = list.value?.invitations ?? [];
  const namesOf = ({ group_ids, is_administrator }: Invitation) => [
    ...(is_administrator ? [t("Administrators")] : []),
    ...group_ids.map((id) => groups.find((group) => group.id === id)?.name ?? id),
  ];
  return (
    <section class="section">
      <div class="row between">
        <h2>{t("Invitations")}</h2>
        <Button isSmall icon="plus" onClick={() => setInviting(true)}>
          {t("Invite a person")}
        </Button>
      </div>
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
                onClick={() => setRevoking(invitation)}
              />
            ),
          },
        ]}
      />
      {isInviting && <InvitationDialog groups={groups} onClose={() => setInviting(false)} />}
      {revoking && (
        <ConfirmDialog
          title={t("Revoke the invitation?")}
          text={t("Its link no longer works. A person who accepted it keeps the groups.")}
          action={t("Revoke")}
          onClose={() => setRevoking(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/tenant/invitations/{id}", { params: { path: { id: revoking.id } } });
            invalidate("invitations");
          }}
        />
      )}
    </section>
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

function InvitationDialog({ groups, onClose }: { readonly groups: readonly Group[]; readonly onClose: () => void }) {
  const [note, setNote] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [days, setDays] = useState<"1" | "7" | "30">("7");
  const [url, setUrl] = useState<string | null>(null);
  const invite = async () => {
    const body = { note, group_ids: [...chosen], expires_in_days: Number(days) };
    setUrl((await api.POST("/v1/tenant/invitations", { body })).url);
    invalidate("invitations");
  };
  return (
    <Dialog title={t("Invite a person")} onClose={onClose}>
      {url ? (
        <>
          <CodeSnippet title={t("Copy this link now. It is shown only once, and works once.")} code={url} />
          <p class="muted small">{t("The person opens it and signs in with an account of your organization.")}</p>
          <div class="actions">
            <Button kind="primary" onClick={onClose}>
              {t("Done")}
            </Button>
          </div>
        </>
      ) : (
        <Form onSubmit={invite}>
          <TextField
            label={t("For")}
            name="note"
            hint={t("A name or an email address, for your list. Nothing is sent.")}
            value={note}
            onValue={setNote}
            maxLength={200}
            autoFocus
          />
          <fieldset>
            <legend class="label">{t("Groups")}</legend>
            <div class="checks">
              {groups.map(({ id, name, roles }) => (
                <CheckField
                  key={id}
                  label={name}
                  hint={roles.map(nameRole).join(", ")}
                  checked={chosen.includes(id)}
                  onValue={(isOn) => setChosen(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
                />
              ))}
            </div>
          </fieldset>
          <SelectField
            label={t("Valid for")}
            name="expires_in_days"
            value={days}
            onValue={setDays}
            options={[
              ["1", t("1 day")],
              ["7", t("7 days")],
              ["30", t("30 days")],
            ]}
          />
          <FormActions>
            <Button onClick={onClose}>{t("Cancel")}</Button>
            <Button kind="primary" type="submit">
              {t("Create link")}
            </Button>
          </FormActions>
        </Form>
      )}
    </Dialog>
  );
}
