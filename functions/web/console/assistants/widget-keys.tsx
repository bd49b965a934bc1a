import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "../../../../shared/api/conversations/attachment-limits.ts";
import { MEBIBYTE } from "../../../../shared/api/limits.ts";
import { visitorMode } from "../../../../shared/api/tools/visitor-mode.ts";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatAgo } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas, useServersWithTools } from "../lib/lists.ts";
import { api } from "../session/session.ts";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { Field } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Menu } from "../ui/menu.tsx";
import { ResourcePage } from "../ui/resource-page.tsx";
import { Badge } from "../ui/status.tsx";
import { handoverFields, toHandoverDrafts, withoutEmptyHours } from "./handover-fields.tsx";
import { toFormDrafts, visitorFormFields } from "./visitor-form-fields.ts";
import { WidgetPreview } from "./widget-preview.tsx";

type EmbedKey = ReplyOf<"/v1/tenant/embed-keys", "get">["keys"][number];

const DEFAULT_ACCENT = "#4549d1";

/** Names of the theme's values that the form changes. */
const themeNames = ["accent", "mode", "position", "logo", "proactive-message"] as const;

/** Returns the origin of the address of a page, which people copy with its path; other texts as they are. */
const toOrigin = (address: string) =>
  /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).origin : address;

/** Returns the line that embeds the widget in a page. */
function widgetSnippet(baseUrl: string, key: string): string {
  return `<script async src="${baseUrl}/v1/embed/widget.js" data-embed-key="${key}"></script>`;
}

export function WidgetKeys() {
  const list = useResource("embed-keys", () => api.GET("/v1/tenant/embed-keys"));
  return (
    <ResourcePage
      title={t("Website widget")}
      intro={t("A chat bubble for your website. Visitors talk to a public persona of yours.")}
      resource={list}
      entries={list.value?.keys}
      name="embed-keys"
      newText={t("New widget")}
      dialog={(key, close) => <WidgetDialog embedKey={key} onClose={close} />}
      empty={{
        icon: "window",
        title: t("No widget yet"),
        text: t("Choose a persona and the addresses of your site, then paste one line into your pages."),
      }}
      textOf={({ name, allowed_origins }) => `${name} ${allowed_origins.join(" ")}`}
      card={(key, { edit, confirm }) => (
        <article key={key.id} class="card stack tight">
          <div class="row between">
            <h2 class="truncate grow">
              <a href={`/console/assistants/widget/${key.id}`}>{key.name}</a>
            </h2>
            {!key.is_revoked && (
              <Menu
                label={t("Actions for {name}", { name: key.name })}
                entries={[
                  { label: t("Edit"), icon: "edit", onSelect: () => edit(key) },
                  {
                    label: t("Revoke"),
                    icon: "trash",
                    isDanger: true,
                    onSelect: () =>
                      confirm({
                        title: t("Revoke the widget {name}?", { name: key.name }),
                        text: t("It disappears from all pages that use it. This cannot be undone."),
                        action: t("Revoke"),
                        send: () => api.DELETE("/v1/tenant/embed-keys/{id}", { params: { path: { id: key.id } } }),
                      }),
                  },
                ]}
              />
            )}
          </div>
          <p class="muted small">{key.allowed_origins.join(", ")}</p>
          <div class="row wrap">
            {key.is_revoked ? <Badge kind="danger">{t("revoked")}</Badge> : <Badge kind="success">{t("active")}</Badge>}
            <span class="mono small muted">{key.key_prefix}…</span>
            <span class="small muted">{key.last_used_at ? formatAgo(key.last_used_at) : t("never used")}</span>
          </div>
        </article>
      )}
    />
  );
}

const toOrigins = (draft: unknown) =>
  typeof draft === "string"
    ? [
        ...new Set(
          draft
            .split(/[\s,]+/)
            .filter(Boolean)
            .map(toOrigin),
        ),
      ]
    : draft;

/** Returns the personas that a widget can have, and its own one also when it is no longer public. */
function usePersonaOptions(own: string | null | undefined) {
  const list = usePersonas().value?.personas;
  const isPublic = (list ?? []).filter(({ visibility }) => visibility === "public");
  const stale =
    own && !isPublic.some(({ id }) => id === own)
      ? [[own, list?.find(({ id }) => id === own)?.name ?? "…"] as const]
      : [];
  const isStale = (id: unknown) => id === own && stale.length > 0 && list !== undefined;
  return { options: [...isPublic.map(({ id, name }) => [id, name] as const), ...stale], isPublic, isStale };
}

const toNames = (tools: EmbedKey["tools"]) =>
  tools.flatMap(({ server_id, tools: names }) => names.map((name) => `${server_id} ${name}`));

/** Converts the chosen names to tools of servers. A server keeps its visitors; a new one has its tools for signed ones. */
function toTools(names: readonly string[], before: EmbedKey["tools"]): EmbedKey["tools"] {
  const parts = names.map((name) => name.split(" ") as [string, string]);
  return [...Map.groupBy(parts, ([server]) => server)].map(([server_id, chosen]) => ({
    server_id,
    tools: chosen.map(([, tool]) => tool),
    visitors: before.find((each) => each.server_id === server_id)?.visitors ?? "signed",
  }));
}

/** Returns the tools that visitors can have, with a note for those before which they are asked. */
const useToolOptions = () =>
  (useServersWithTools().value?.servers ?? []).flatMap((server) =>
    server.tools.flatMap(({ name, title }) => {
      const mode = visitorMode(server, name);
      const tool = `${server.name}: ${title}`;
      const label = mode === "confirm" ? t("{tool} (asks the visitor)", { tool }) : tool;
      return mode === null ? [] : [[`${server.id} ${name}`, label] as const];
    }),
  );

function WidgetDialog({ embedKey, onClose }: { readonly embedKey: EmbedKey | null; readonly onClose: () => void }) {
  const { options, isPublic, isStale } = usePersonaOptions(embedKey?.persona_id);
  const params = { path: { id: embedKey?.id ?? "" } };
  const tools = useToolOptions();
  const ownTools = toNames(embedKey?.tools ?? []);
  // A new widget has the only persona that it can have, until its owner chooses.
  const onlyPersona = isPublic.length === 1 ? isPublic[0]?.id : null;
  return (
    <FormDialog
      title={embedKey ? t("Edit the widget") : t("New widget")}
      action={embedKey ? t("Save") : t("Create")}
      isWide
      schema={bodySchema("/v1/tenant/embed-keys", "post")}
      value={{
        ...(embedKey ?? { persona_id: onlyPersona, theme: { accent: DEFAULT_ACCENT } }),
        tools: ownTools,
        ...toFormDrafts(embedKey?.form ?? null),
        ...toHandoverDrafts(embedKey?.handover ?? null),
      }}
      fields={(get) => [
        { name: "name", label: t("Name") },
        {
          name: "persona_id",
          label: t("Persona"),
          hint: isStale(get("persona_id"))
            ? t("The persona of this widget is no longer public, so that visitors cannot chat. Choose another one.")
            : isPublic.length === 0 && t("Only public personas can be chosen. There is none yet."),
          options: [["", t("Assistant without a persona")], ...options],
        },
        {
          name: "allowed_origins",
          label: t("Addresses of your site, one per line"),
          hint: t("Scheme and host, such as https://www.example.com"),
          rows: 3,
          placeholder: "https://www.example.com",
          parse: toOrigins,
        },
        {
          name: "theme.accent",
          label: t("Color"),
          render: ({ value, onValue, ...props }) => (
            <Field {...props}>
              {(control) => (
                <input
                  class="swatch"
                  type="color"
                  {...control}
                  value={String(value || DEFAULT_ACCENT)}
                  onInput={(event) => onValue(event.currentTarget.value)}
                />
              )}
            </Field>
          ),
        },
        [
          {
            name: "theme.mode",
            label: t("Appearance"),
            options: { auto: t("As the visitor's system"), light: t("Light"), dark: t("Dark") },
          },
          {
            name: "theme.position",
            label: t("Position"),
            options: { end: t("On the right"), start: t("On the left") },
          },
        ],
        {
          name: "theme.logo",
          label: t("Address of the logo"),
          hint: t("An image with https. Empty for the first letter of the persona."),
          placeholder: "https://www.example.com/logo.png",
          parse: (draft) => String(draft).trim(),
        },
        {
          name: "theme.proactive-message",
          label: t("Message above the button"),
          hint: t("It appears after eight seconds, until the visitor closes it or opens the chat. Empty for none."),
          parse: (draft) => String(draft).trim(),
        },
        {
          name: "session_days",
          label: t("Days for which sessions are kept"),
          hint: t("After the last message, for you to read. 0 deletes them when visitors can no longer continue them."),
          isRequired: true,
        },
        {
          name: "daily_tokens",
          label: t("Tokens a day"),
          hint: t(
            "For the answers to all visitors of the website. Then the widget answers on the next day again (UTC).",
          ),
          isRequired: true,
        },
        tools.length + ownTools.length > 0 && {
          name: "tools",
          label: t("Tools for signed visitors"),
          hint: t(
            "Your server signs a token for each visitor. Tools that need a consent ask the visitor in the widget.",
          ),
          options: tools,
          isSearched: true,
        },
        ...visitorFormFields(embedKey?.form ?? null),
        ...handoverFields(get),
        {
          name: "require_signed_visitor",
          label: t("Require signed visitors"),
          hint: t("Your server signs the id of each visitor."),
        },
        {
          name: "attachments",
          label: t("Visitors can attach files"),
          hint: t("At most {count} of {size} MB in a message.", {
            count: MAX_ATTACHMENTS,
            size: MAX_ATTACHMENT_BYTES / MEBIBYTE,
          }),
        },
        {
          name: "transcripts",
          label: t("Visitors can get the conversation by e-mail"),
          hint: t("An event tells your server the address. It sends the mail."),
        },
      ]}
      resource="embed-keys"
      savedText={embedKey ? t("Saved.") : undefined}
      onSave={async (
        values,
        get,
      ): Promise<{ readonly id: string; readonly key?: string; readonly visitor_secret?: string }> => {
        const { "proactive-message": _, logo: __, ...kept } = embedKey?.theme ?? {};
        const chosen = Object.fromEntries(Object.entries(values.theme ?? {}).filter(([, value]) => value !== ""));
        // The form has their names.
        const names = (values.tools ?? []) as unknown as readonly string[];
        const handover = get("$handover") ? withoutEmptyHours(values.handover) : null;
        const body = {
          ...values,
          tools: toTools(names, embedKey?.tools ?? []),
          handover,
          form: values.form?.fields?.length ? values.form : null,
          theme: { ...kept, ...chosen },
        };
        return embedKey
          ? api.PATCH("/v1/tenant/embed-keys/{id}", { params, body })
          : api.POST("/v1/tenant/embed-keys", { body });
      }}
      renderResult={({ key, visitor_secret }) =>
        key && visitor_secret
          ? {
              title: t("Your widget is ready"),
              content: (
                <>
                  <p>{t("Paste this line into the head of your pages.")}</p>
                  <CodeSnippet title="HTML" code={widgetSnippet(location.origin, key)} />
                  <CodeSnippet
                    title={t("Secret for signing visitor ids, on your server only. It is shown only once.")}
                    code={visitor_secret}
                  />
                </>
              ),
            }
          : null
      }
      aside={(get) => (
        <WidgetPreview
          personaId={String(get("persona_id")) || null}
          theme={Object.fromEntries(
            themeNames.flatMap((name) => (get(`theme.${name}`) ? [[name, String(get(`theme.${name}`))]] : [])),
          )}
        />
      )}
      onClose={onClose}
    />
  );
}
