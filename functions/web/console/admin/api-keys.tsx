import type { ScopePreset } from "../../../../shared/api/scopes.ts";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatAgo, formatDate } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas } from "../lib/lists.ts";
import { api } from "../session/session.ts";
import { IconButton } from "../ui/buttons.tsx";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ResourcePage } from "../ui/resource-page.tsx";
import { ApiSnippets } from "../ui/snippets.tsx";
import { Badge } from "../ui/status.tsx";
import { describeScope } from "./scope-texts.ts";

type ApiKey = ReplyOf<"/v1/tenant/api-keys", "get">["keys"][number];

/** Number of scopes that the list names. A key of an administrator has 57. */
const MAX_SCOPES = 3;

/** Returns the known parts of a key. Its start is the same for all keys of the organization. */
const keyText = ({ key_prefix, key_hint }: ApiKey) => `${key_prefix}…${key_hint ?? ""}`;

export function ApiKeys() {
  const list = useResource("api-keys", () => api.GET("/v1/tenant/api-keys"));
  return (
    <ResourcePage
      title={t("API keys")}
      intro={t("Keys let programs use the APIs of your organization.")}
      resource={list}
      entries={list.value?.keys}
      name="api-keys"
      newText={t("New API key")}
      dialog={(_, close) => <NewKeyDialog onClose={close} />}
      empty={{
        icon: "key",
        title: t("No API key yet"),
        text: t("Any OpenAI client works: only the address and the key change."),
      }}
      textOf={(key) => `${key.description} ${keyText(key)} ${key.scopes.map(describeScope).join(" ")}`}
      columns={({ confirm }) => [
        {
          label: t("Description"),
          sortBy: ({ description }) => description,
          cell: ({ description }) => description || t("No description"),
        },
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
        { label: t("Last used"), cell: ({ last_used_at }) => (last_used_at ? formatAgo(last_used_at) : t("never")) },
        {
          label: null,
          cell: (key) =>
            !key.is_revoked && (
              <IconButton
                icon="trash"
                label={t("Revoke {name}", { name: key.description || keyText(key) })}
                onClick={() =>
                  confirm({
                    title: t("Revoke the key {name}?", { name: keyText(key) }),
                    text: t("Programs that use it fail immediately. This cannot be undone."),
                    action: t("Revoke"),
                    send: () => api.DELETE("/v1/tenant/api-keys/{id}", { params: { path: { id: key.id } } }),
                  })
                }
              />
            ),
        },
      ]}
    />
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

/** First steps with a new key: the guide of its purpose, or how to call the models. */
function FirstSteps(props: { readonly purpose: Purpose; readonly model: string | undefined; readonly apiKey: string }) {
  const { purpose, model, apiKey } = props;
  if (purpose === "openai") {
    if (model) return <ApiSnippets model={model} apiKey={apiKey} />;
    return (
      <p class="notice warning">
        <span class="grow">{t("Models are published personas. Publish one to use the key.")}</span>
        <a href="/console/assistants/personas">{t("Personas")}</a>
      </p>
    );
  }
  const [guide, text] =
    purpose === "scim"
      ? ["scim", t("Guide for SCIM")]
      : purpose === "mcp"
        ? ["tools", t("Guide for tools")]
        : ["back-end", t("Guide for back ends")];
  return (
    <p class="muted">
      <a href={`/docs/guides/${guide}`}>{text}</a>
    </p>
  );
}

function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const published = (usePersonas().value?.personas ?? []).flatMap(({ endpoint }) =>
    endpoint?.enabled ? [endpoint.slug] : [],
  );
  return (
    <FormDialog
      title={t("New API key")}
      action={t("Create")}
      isWide
      schema={bodySchema("/v1/tenant/api-keys", "post")}
      value={{ preset: "openai", $days: "90" }}
      fields={(get) => [
        {
          name: "description",
          label: t("Description"),
          hint: t("The program that will use the key"),
          isRequired: true,
        },
        { name: "preset", label: t("Purpose"), options: listPurposes() },
        get("preset") === "openai" && {
          name: "$model",
          label: t("Models"),
          options: [["", t("All models and published personas")], ...published.map((slug) => [slug, slug] as const)],
        },
        {
          name: "$days",
          label: t("Valid for"),
          options: [
            ["30", t("30 days")],
            ["90", t("90 days")],
            ["365", t("1 year")],
            ["", t("Without expiry")],
          ],
        },
      ]}
      resource="api-keys"
      onSave={({ description, preset }, get) => {
        const purpose = preset as Purpose;
        const [model, days] = [get("$model"), Number(get("$days"))];
        const endpoints = purpose === "openai" && model ? [`endpoint:${model}` as const] : [];
        return api.POST("/v1/tenant/api-keys", {
          body: {
            description,
            ...(isScoped(purpose) ? { scopes: [...purposeScopes[purpose], ...endpoints] } : { preset: purpose }),
            expires_at: days ? new Date(Date.now() + days * DAY_MS).toISOString() : null,
          },
        });
      }}
      renderResult={({ key }, get) => ({
        title: t("Your new API key"),
        content: (
          <>
            <CodeSnippet title={t("Copy this key now. It is shown only once.")} code={key} />
            <FirstSteps
              purpose={get("preset") as Purpose}
              model={String(get("$model") || published[0] || "")}
              apiKey={key}
            />
          </>
        ),
      })}
      onClose={onClose}
    />
  );
}
