import { useState } from "preact/hooks";
import { invalidate, useResource } from "../../lib/data.ts";
import { formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { upTo } from "../../lib/lists.ts";
import { findPersonId } from "../../lib/people/find-person-id.ts";
import { usePeople } from "../../lib/people/people.ts";
import { PersonField } from "../../lib/people/person-field.tsx";
import { showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button, IconButton } from "../../ui/buttons.tsx";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { Form, FormError } from "../../ui/form.tsx";
import { Badge } from "../../ui/status.tsx";

/** Dialog to share a conversation: access of other users, and public links. */
export function ShareDialog({
  conversationId,
  onClose,
}: {
  readonly conversationId: string;
  readonly onClose: () => void;
}) {
  const path = { id: conversationId };
  const key = `sharing:${conversationId}`;
  const grants = useResource(`${key}:grants`, async () => ({
    grants: await upTo(api.list("/v1/chat/{id}/share", { params: { path, query: { limit: 100 } } })),
  }));
  const links = useResource(`${key}:links`, async () => ({
    links: await upTo(api.list("/v1/chat/{id}/share-link", { params: { path, query: { limit: 100 } } })),
  }));
  const { people, nameOf } = usePeople();
  const [user, setUser] = useState("");
  const [permission, setPermission] = useState<"READ" | "WRITE">("READ");
  const [lifetime, setLifetime] = useState<"1h" | "24h" | "7d" | "30d">("7d");
  const [newLink, setNewLink] = useState<string | null>(null);
  const act = async (action: () => Promise<unknown>) => {
    try {
      await action();
      invalidate(key);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <Dialog title={t("Share the conversation")} onClose={onClose}>
      <Form
        class="share-form"
        onSubmit={async () => {
          const user_id = findPersonId(user, people);
          await api.POST("/v1/chat/{id}/share", { params: { path }, body: { user_id, permission } });
          invalidate(key);
          setUser("");
          showToast(t("Shared with {user}.", { user: nameOf(user_id) }));
        }}
      >
        <PersonField
          label={t("Name or user id of a colleague")}
          name="user_id"
          people={people}
          value={user}
          onValue={setUser}
          required
        />
        <SelectField
          label={t("Right")}
          value={permission}
          onValue={setPermission}
          options={[
            ["READ", t("can read")],
            ["WRITE", t("can write")],
          ]}
        />
        <Button kind="primary" type="submit" disabled={!user.trim()}>
          {t("Share")}
        </Button>
        <FormError />
      </Form>
      {grants.value?.grants.map((grant) => (
        <div key={grant.user_id} class="row between">
          <span class="truncate">{nameOf(grant.user_id)}</span>
          <span class="muted small">
            {grant.last_read_at ? t("read {date}", { date: formatDateTime(grant.last_read_at) }) : t("not read yet")}
          </span>
          <div class="row">
            <Badge>{grant.permission === "READ" ? t("can read") : t("can write")}</Badge>
            <IconButton
              icon="trash"
              label={t("Stop sharing with {user}", { user: nameOf(grant.user_id) })}
              onClick={() =>
                act(() =>
                  api.DELETE("/v1/chat/{id}/share/{user_id}", {
                    params: { path: { ...path, user_id: grant.user_id } },
                  }),
                )
              }
            />
          </div>
        </div>
      ))}
      <hr class="line" />
      <h3>{t("Public link")}</h3>
      <p class="muted small">
        {t("Anyone with the link can read the messages up to now, until it expires or you revoke it.")}
      </p>
      <div class="share-form">
        <SelectField
          label={t("Valid for")}
          value={lifetime}
          onValue={setLifetime}
          options={[
            ["1h", t("1 hour")],
            ["24h", t("1 day")],
            ["7d", t("7 days")],
            ["30d", t("30 days")],
          ]}
        />
        <Button
          icon="link"
          onClick={() =>
            act(async () => {
              const link = await api.POST("/v1/chat/{id}/share-link", {
                params: { path },
                body: { expires_in: lifetime },
              });
              if ("approval" in link) showToast(t("The link needs an approval. Its state is shown in Approvals."));
              else setNewLink(location.origin + link.url);
            })
          }
        >
          {t("Create a link")}
        </Button>
      </div>
      {newLink && <CodeSnippet title={t("Copy this link now. It is shown only once.")} code={newLink} />}
      {links.value?.links.map((link) => (
        <div key={link.link_id} class="row between small">
          <span class="muted">
            {t("until {date}, {count} views", { date: formatDateTime(link.expires_at), count: link.views })}
            {link.last_viewed_at && `, ${t("the last {date}", { date: formatDateTime(link.last_viewed_at) })}`}
          </span>
          {link.status === "active" ? (
            <IconButton
              icon="trash"
              label={t("Revoke the link")}
              onClick={() =>
                act(() =>
                  api.DELETE("/v1/chat/{id}/share-links/{link_id}", {
                    params: { path: { ...path, link_id: link.link_id } },
                  }),
                )
              }
            />
          ) : (
            <Badge>{link.status === "revoked" ? t("revoked") : t("expired")}</Badge>
          )}
        </div>
      ))}
    </Dialog>
  );
}
