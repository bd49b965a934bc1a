import { useState } from "preact/hooks";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDate } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { describeError } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import {
  Badge,
  Button,
  CodeBlock,
  ConfirmDialog,
  Dialog,
  Empty,
  IconButton,
  ResourceStatus,
  SelectField,
  TextField,
} from "../ui/controls.tsx";
import { Page } from "../ui/layout.tsx";
import { ApiSnippets } from "./snippets.tsx";

/** Keys for the OpenAI-compatible API. */
export function ApiKeys() {
  const list = useResource("api-keys", () => api.GET("/v1/tenant/api-keys"));
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<{ id: string; key_prefix: string } | null>(null);
  const keys = list.value?.keys ?? [];
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {t("New API key")}
    </Button>
  );
  return (
    <Page
      title={t("API keys")}
      intro={t("Keys let programs use the OpenAI-compatible API of your organization.")}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      actions={keys.length > 0 ? create : undefined}
    >
      <ResourceStatus resource={list} />
      {list.value !== null && keys.length === 0 && (
        <Empty icon="key" title={t("No API key yet")} action={create}>
          {t("Any OpenAI client works: only the address and the key change.")}
        </Empty>
      )}
      {keys.length > 0 && (
        <div class="table-wrap">
          <table class="data responsive">
            <thead>
              <tr>
                <th scope="col">{t("Description")}</th>
                <th scope="col">{t("Key")}</th>
                <th scope="col">{t("Scopes")}</th>
                <th scope="col">{t("State")}</th>
                <th scope="col">{t("Last used")}</th>
                <th scope="col">
                  <span class="visually-hidden">{t("Actions")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <tr key={key.id}>
                  <td>{key.description || t("No description")}</td>
                  <td class="mono" data-label={t("Key")}>
                    {key.key_prefix}…
                  </td>
                  <td data-label={t("Scopes")}>
                    <span class="row wrap">
                      {key.scopes.map((scope) => (
                        <Badge key={scope}>{scope}</Badge>
                      ))}
                    </span>
                  </td>
                  <td data-label={t("State")}>
                    {key.is_revoked ? (
                      <Badge kind="danger">{t("revoked")}</Badge>
                    ) : key.expires_at && Date.parse(key.expires_at) < Date.now() ? (
                      <Badge kind="warning">{t("expired")}</Badge>
                    ) : (
                      <Badge kind="success">
                        {key.expires_at ? t("until {date}", { date: formatDate(key.expires_at) }) : t("active")}
                      </Badge>
                    )}
                  </td>
                  <td data-label={t("Last used")}>{key.last_used_at ? formatAgo(key.last_used_at) : t("never")}</td>
                  <td class="actions">
                    {!key.is_revoked && (
                      <IconButton
                        icon="trash"
                        label={t("Revoke {name}", { name: key.description || key.key_prefix })}
                        onClick={() => setRevoking(key)}
                      />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
      {revoking && (
        <ConfirmDialog
          title={t("Revoke the key {name}?", { name: revoking.key_prefix })}
          text={t("Programs that use it fail immediately. This cannot be undone.")}
          action={t("Revoke")}
          onClose={() => setRevoking(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/tenant/api-keys/{id}", { params: { path: { id: revoking.id } } });
            invalidate("api-keys");
          }}
        />
      )}
    </Page>
  );
}

const DAY_MS = 86_400_000;

function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const personas = useResource("personas", () => api.GET("/v1/personas"));
  const published = (personas.value?.personas ?? []).flatMap(({ endpoint }) =>
    endpoint?.enabled ? [endpoint.slug] : [],
  );
  const [description, setDescription] = useState("");
  const [model, setModel] = useState("");
  const [days, setDays] = useState<"" | "30" | "90" | "365">("90");
  const [key, setKey] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const create = async () => {
    try {
      const created = await api.POST("/v1/tenant/api-keys", {
        body: {
          description,
          scopes: ["chat.completions", "models.read", ...(model ? [`endpoint:${model}` as const] : [])],
          expires_at: days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null,
        },
      });
      setKey(created.key);
      invalidate("api-keys");
    } catch (failure) {
      setError(describeError(failure));
    }
  };
  return (
    <Dialog title={key ? t("Your new API key") : t("New API key")} onClose={onClose} isWide>
      {key ? (
        <>
          <CodeBlock title={t("Copy this key now. It is shown only once.")} code={key} />
          {published.length > 0 ? (
            <ApiSnippets model={model || published[0] || ""} apiKey={key} />
          ) : (
            <p class="notice warning">
              <span class="grow">{t("Models are published personas. Publish one to use the key.")}</span>
              <a href="/console/build/personas">{t("Personas")}</a>
            </p>
          )}
          <div class="actions">
            <Button kind="primary" onClick={onClose}>
              {t("Done")}
            </Button>
          </div>
        </>
      ) : (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void create();
          }}
        >
          <TextField
            label={t("Description")}
            hint={t("The program that will use the key")}
            value={description}
            onValue={setDescription}
            error={error}
            maxLength={500}
            required
            autoFocus
          />
          <SelectField
            label={t("Models")}
            value={model}
            onValue={setModel}
            options={[["", t("All models and published personas")], ...published.map((slug) => [slug, slug] as const)]}
          />
          <SelectField
            label={t("Valid for")}
            value={days}
            onValue={setDays}
            options={[
              ["30", t("30 days")],
              ["90", t("90 days")],
              ["365", t("1 year")],
              ["", t("Without expiry")],
            ]}
          />
          <div class="actions">
            <Button onClick={onClose}>{t("Cancel")}</Button>
            <Button kind="primary" type="submit">
              {t("Create")}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
