import { useState } from "preact/hooks";
import type { ScopePreset } from "../../../../shared/api/scopes.ts";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDate } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas } from "../lib/lists.ts";
import { api } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";
import { DataTable, ListPage } from "../ui/list.tsx";
import { Badge } from "../ui/status.tsx";
import { describeScope } from "./scope-texts.ts";
import { ApiSnippets } from "./snippets.tsx";

type ApiKey = ReplyOf<"/v1/tenant/api-keys", "get">["keys"][number];

/** Number of scopes that the list names. A key of an administrator has 57. */
const MAX_SCOPES = 3;

/** Returns the known parts of a key. Its start is the same for all keys of the organization. */
const keyText = ({ key_prefix, key_hint }: ApiKey) => `${key_prefix}…${key_hint ?? ""}`;

export function ApiKeys() {
  const list = useResource("api-keys", () => api.GET("/v1/tenant/api-keys"));
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const keys = list.value?.keys ?? [];
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {t("New API key")}
    </Button>
  );
  return (
    <ListPage
      title={t("API keys")}
      intro={t("Keys let programs use the APIs of your organization.")}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      resource={list}
      count={keys.length}
      create={create}
      empty={{
        icon: "key",
        title: t("No API key yet"),
        text: t("Any OpenAI client works: only the address and the key change."),
      }}
    >
      <DataTable
        rows={keys}
        keyOf={({ id }) => id}
        columns={[
          { label: t("Description"), cell: ({ description }) => description || t("No description") },
          { label: t("Key"), className: "mono", cell: keyText },
          {
            label: t("Scopes"),
            cell: ({ scopes }) => (
              <span class="row wrap">
                {scopes.slice(0, MAX_SCOPES).map((scope) => (
                  <Badge key={scope} title={scope}>
                    {describeScope(scope)}
                  </Badge>
                ))}
                {scopes.length > MAX_SCOPES && (
                  <Badge title={scopes.slice(MAX_SCOPES).join("\n")}>
                    {t("{count} more", { count: scopes.length - MAX_SCOPES })}
                  </Badge>
                )}
              </span>
            ),
          },
          { label: t("State"), cell: (key) => <KeyState {...key} /> },
          {
            label: t("Last used"),
            cell: ({ last_used_at }) => (last_used_at ? formatAgo(last_used_at) : t("never")),
          },
          {
            label: null,
            cell: (key) =>
              !key.is_revoked && (
                <IconButton
                  icon="trash"
                  label={t("Revoke {name}", { name: key.description || keyText(key) })}
                  onClick={() => setRevoking(key)}
                />
              ),
          },
        ]}
      />
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
      {revoking && (
        <ConfirmDialog
          title={t("Revoke the key {name}?", { name: keyText(revoking) })}
          text={t("Programs that use it fail immediately. This cannot be undone.")}
          action={t("Revoke")}
          onClose={() => setRevoking(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/tenant/api-keys/{id}", { params: { path: { id: revoking.id } } });
            invalidate("api-keys");
          }}
        />
      )}
    </ListPage>
  );
}

function KeyState({ is_revoked, expires_at }: { readonly is_revoked: boolean; readonly expires_at: string | null }) {
  if (is_revoked) return <Badge kind="danger">{t("revoked")}</Badge>;
  if (expires_at === null) return <Badge kind="success">{t("active")}</Badge>;
  if (Date.parse(expires_at) < Date.now()) return <Badge kind="warning">{t("expired")}</Badge>;
  return <Badge kind="success">{t("until {date}", { date: formatDate(expires_at) })}</Badge>;
}

const DAY_MS = 86_400_000;

/** Scopes of the purposes that are no presets of the API. */
const purposeScopes = {
  openai: ["chat.completions", "models.read"],
  mcp: ["tools.run", "chat.run"],
  scim: ["scim"],
} as const;

/** Purpose of a key: some scopes, or a preset of scopes of `/v1`. */
type Purpose = keyof typeof purposeScopes | ScopePreset;

const isScoped = (purpose: Purpose): purpose is keyof typeof purposeScopes => purpose in purposeScopes;

/** Texts are looked up when the dialog opens, in the language of the user. */
const listPurposes = (): (readonly [Purpose, string])[] => [
  ["openai", t("OpenAI-compatible API")],
  ["chat_backend", t("Back end that chats on behalf of its users")],
  ["knowledge_sync", t("Program that keeps collections up to date")],
  ["mcp", t("MCP client that searches the knowledge and asks personas")],
  ["scim", t("Identity provider that provisions people (SCIM)")],
  ["read_only", t("Reading everything that you can read")],
  ["administrator", t("Everything that you can do")],
];

function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const personas = usePersonas();
  const published = (personas.value?.personas ?? []).flatMap(({ endpoint }) =>
    endpoint?.enabled ? [endpoint.slug] : [],
  );
  const [description, setDescription] = useState("");
  const [purpose, setPurpose] = useState<Purpose>("openai");
  const [model, setModel] = useState("");
  const [days, setDays] = useState<"" | "30" | "90" | "365">("90");
  const [key, setKey] = useState<string | null>(null);
  const create = async () => {
    const created = await api.POST("/v1/tenant/api-keys", {
      body: {
        description,
        ...(isScoped(purpose)
          ? {
              scopes: [
                ...purposeScopes[purpose],
                ...(purpose === "openai" && model ? [`endpoint:${model}` as const] : []),
              ],
            }
          : { preset: purpose }),
        expires_at: days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null,
      },
    });
    setKey(created.key);
    invalidate("api-keys");
  };
  return (
    <Dialog title={key ? t("Your new API key") : t("New API key")} onClose={onClose} isWide>
      {key ? (
        <>
          <CodeSnippet title={t("Copy this key now. It is shown only once.")} code={key} />
          {purpose !== "openai" ? (
            <p class="muted">
              {purpose === "scim" ? (
                <a href="/docs/guides/scim">{t("Guide for SCIM")}</a>
              ) : purpose === "mcp" ? (
                <a href="/docs/guides/tools">{t("Guide for tools")}</a>
              ) : (
                <a href="/docs/guides/back-end">{t("Guide for back ends")}</a>
              )}
            </p>
          ) : published.length > 0 ? (
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
        <Form onSubmit={create}>
          <TextField
            label={t("Description")}
            name="description"
            hint={t("The program that will use the key")}
            value={description}
            onValue={setDescription}
            maxLength={500}
            required
            autoFocus
          />
          <SelectField
            label={t("Purpose")}
            name="preset"
            value={purpose}
            onValue={setPurpose}
            options={listPurposes()}
          />
          {purpose === "openai" && (
            <SelectField
              label={t("Models")}
              name="scopes"
              value={model}
              onValue={setModel}
              options={[
                ["", t("All models and published personas")],
                ...published.map((slug) => [slug, slug] as const),
              ]}
            />
          )}
          <SelectField
            label={t("Valid for")}
            name="expires_at"
            value={days}
            onValue={setDays}
            options={[
              ["30", t("30 days")],
              ["90", t("90 days")],
              ["365", t("1 year")],
              ["", t("Without expiry")],
            ]}
          />
          <FormActions>
            <Button onClick={onClose}>{t("Cancel")}</Button>
            <Button kind="primary" type="submit">
              {t("Create")}
            </Button>
          </FormActions>
        </Form>
      )}
    </Dialog>
  );
}
