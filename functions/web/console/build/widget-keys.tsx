import { useState } from "preact/hooks";
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "../../../../shared/api/conversations/attachment-limits.ts";
import { MEBIBYTE } from "../../../../shared/api/limits.ts";
import { DEFAULT_DAILY_TOKENS } from "../../../../shared/api/tenancy/embed-keys.ts";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas } from "../lib/lists.ts";
import { showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { CheckField, Field, SelectField, TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";
import { ListPage } from "../ui/list.tsx";
import { Menu } from "../ui/menu.tsx";
import { Badge } from "../ui/status.tsx";
import { WidgetPreview } from "./widget-preview.tsx";

type EmbedKey = ReplyOf<"/v1/tenant/embed-keys", "get">["keys"][number];

const DEFAULT_ACCENT = "#4549d1";

/** Returns the origin of the address of a page, which people copy with its path; other texts as they are. */
const toOrigin = (address: string) =>
  /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).origin : address;

/** Returns the line that embeds the widget in a page. */
export function widgetSnippet(baseUrl: string, key: string): string {
  return `<script async src="${baseUrl}/v1/embed/widget.js" data-embed-key="${key}"></script>`;
}

export function WidgetKeys() {
  const list = useResource("embed-keys", () => api.GET("/v1/tenant/embed-keys"));
  const [editing, setEditing] = useState<EmbedKey | "new" | null>(null);
  const [revoking, setRevoking] = useState<EmbedKey | null>(null);
  const keys = list.value?.keys ?? [];
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setEditing("new")}>
      {t("New widget")}
    </Button>
  );
  return (
    <ListPage
      title={t("Website widget")}
      intro={t("A chat bubble for your website. Visitors talk to a public persona of yours.")}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      resource={list}
      count={keys.length}
      create={create}
      empty={{
        icon: "window",
        title: t("No widget yet"),
        text: t("Choose a persona and the addresses of your site, then paste one line into your pages."),
      }}
    >
      <div class="cards">
        {keys.map((key) => (
          <article key={key.id} class="card stack tight">
            <div class="row between">
              <h2 class="truncate grow">
                <a href={`/console/build/widget/${key.id}`}>{key.name}</a>
              </h2>
              {!key.is_revoked && (
                <Menu
                  label={t("Actions for {name}", { name: key.name })}
                  entries={[
                    { label: t("Edit"), icon: "edit", onSelect: () => setEditing(key) },
                    { label: t("Revoke"), icon: "trash", isDanger: true, onSelect: () => setRevoking(key) },
                  ]}
                />
              )}
            </div>
            <p class="muted small">{key.allowed_origins.join(", ")}</p>
            <div class="row wrap">
              {key.is_revoked ? (
                <Badge kind="danger">{t("revoked")}</Badge>
              ) : (
                <Badge kind="success">{t("active")}</Badge>
              )}
              <span class="mono small muted">{key.key_prefix}…</span>
              <span class="small muted">{key.last_used_at ? formatAgo(key.last_used_at) : t("never used")}</span>
            </div>
          </article>
        ))}
      </div>
      {editing && <WidgetDialog embedKey={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
      {revoking && (
        <ConfirmDialog
          title={t("Revoke the widget {name}?", { name: revoking.name })}
          text={t("It disappears from all pages that use it. This cannot be undone.")}
          action={t("Revoke")}
          onClose={() => setRevoking(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/tenant/embed-keys/{id}", { params: { path: { id: revoking.id } } });
            invalidate("embed-keys");
          }}
        />
      )}
    </ListPage>
  );
}

function WidgetDialog({ embedKey, onClose }: { readonly embedKey: EmbedKey | null; readonly onClose: () => void }) {
  const personas = usePersonas();
  const nameOfPersona = (id: string) => personas.value?.personas.find((each) => each.id === id)?.name ?? "…";
  const publicPersonas = (personas.value?.personas ?? []).filter(({ visibility }) => visibility === "public");
  const [name, setName] = useState(embedKey?.name ?? "");
  // A new widget has the only persona that it can have, until its owner chooses.
  const [chosenPersona, setPersona] = useState(embedKey ? (embedKey.persona_id ?? "") : null);
  const persona = chosenPersona ?? (publicPersonas.length === 1 ? (publicPersonas[0]?.id ?? "") : "");
  const isMissing = persona !== "" && personas.value !== null && !publicPersonas.some(({ id }) => id === persona);
  const [origins, setOrigins] = useState(embedKey?.allowed_origins.join("\n") ?? "");
  const [theme, setTheme] = useState(embedKey?.theme ?? { accent: DEFAULT_ACCENT });
  const [requiresSignature, setRequiresSignature] = useState(embedKey?.require_signed_visitor ?? false);
  const [attachments, setAttachments] = useState(embedKey?.attachments ?? false);
  const [sessionDays, setSessionDays] = useState(String(embedKey?.session_days ?? 0));
  const [dailyTokens, setDailyTokens] = useState(String(embedKey?.daily_tokens ?? DEFAULT_DAILY_TOKENS));
  const [created, setCreated] = useState<{ key: string; visitor_secret: string } | null>(null);
  const save = async () => {
    const { "proactive-message": message, ...appearance } = theme;
    const body = {
      name,
      persona_id: persona || null,
      allowed_origins: [
        ...new Set(
          origins
            .split(/[\s,]+/)
            .filter(Boolean)
            .map(toOrigin),
        ),
      ],
      theme: { ...appearance, ...(message?.trim() && { "proactive-message": message.trim() }) },
      require_signed_visitor: requiresSignature,
      attachments,
      session_days: Number(sessionDays),
      daily_tokens: Number(dailyTokens),
    };
    if (embedKey) {
      await api.PATCH("/v1/tenant/embed-keys/{id}", { params: { path: { id: embedKey.id } }, body });
      showToast(t("Saved."));
      onClose();
    } else setCreated(await api.POST("/v1/tenant/embed-keys", { body }));
    invalidate("embed-keys");
  };
  if (created) {
    return (
      <Dialog title={t("Your widget is ready")} onClose={onClose} isWide>
        <p>{t("Paste this line into the head of your pages.")}</p>
        <CodeSnippet title="HTML" code={widgetSnippet(location.origin, created.key)} />
        <CodeSnippet
          title={t("Secret for signing visitor ids, on your server only. It is shown only once.")}
          code={created.visitor_secret}
        />
        <div class="actions">
          <Button kind="primary" onClick={onClose}>
            {t("Done")}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={embedKey ? t("Edit the widget") : t("New widget")} onClose={onClose} isWide>
      <div class="columns">
        <Form onSubmit={save}>
          <TextField label={t("Name")} name="name" value={name} onValue={setName} maxLength={100} required autoFocus />
          <SelectField
            label={t("Persona")}
            name="persona_id"
            hint={
              isMissing
                ? t("The persona of this widget is no longer public, so that visitors cannot chat. Choose another one.")
                : publicPersonas.length === 0
                  ? t("Only public personas can be chosen. There is none yet.")
                  : undefined
            }
            value={persona}
            onValue={setPersona}
            options={[
              ["", t("Assistant without a persona")],
              ...publicPersonas.map((each) => [each.id, each.name] as const),
              ...(persona !== "" && !publicPersonas.some(({ id }) => id === persona)
                ? [[persona, nameOfPersona(persona)] as const]
                : []),
            ]}
          />
          <TextField
            label={t("Addresses of your site, one per line")}
            name="allowed_origins"
            hint={t("Scheme and host, such as https://www.example.com")}
            rows={3}
            value={origins}
            onValue={setOrigins}
            placeholder="https://www.example.com"
            required
          />
          <Field label={t("Color")} name="theme.accent">
            {(control) => (
              <input
                class="swatch"
                type="color"
                {...control}
                value={theme.accent ?? DEFAULT_ACCENT}
                onInput={(event) => setTheme({ ...theme, accent: event.currentTarget.value })}
              />
            )}
          </Field>
          <div class="pair">
            <SelectField
              label={t("Appearance")}
              name="theme.mode"
              value={theme.mode ?? "auto"}
              onValue={(mode) => setTheme({ ...theme, mode })}
              options={[
                ["auto", t("As the visitor's system")],
                ["light", t("Light")],
                ["dark", t("Dark")],
              ]}
            />
            <SelectField
              label={t("Position")}
              name="theme.position"
              value={theme.position ?? "end"}
              onValue={(position) => setTheme({ ...theme, position })}
              options={[
                ["end", t("On the right")],
                ["start", t("On the left")],
              ]}
            />
          </div>
          <TextField
            label={t("Message above the button")}
            name="theme.proactive-message"
            hint={t("It appears after eight seconds, until the visitor closes it or opens the chat. Empty for none.")}
            value={theme["proactive-message"] ?? ""}
            onValue={(message) => setTheme({ ...theme, "proactive-message": message })}
            maxLength={200}
          />
          <TextField
            label={t("Days for which sessions are kept")}
            name="session_days"
            type="number"
            hint={t(
              "After the last message, for you to read. 0 deletes them when visitors can no longer continue them.",
            )}
            value={sessionDays}
            onValue={setSessionDays}
            required
          />
          <TextField
            label={t("Tokens a day")}
            name="daily_tokens"
            type="number"
            hint={t(
              "For the answers to all visitors of the website. Then the widget answers on the next day again (UTC).",
            )}
            value={dailyTokens}
            onValue={setDailyTokens}
            required
          />
          <CheckField
            label={t("Require signed visitors")}
            hint={t("Your server signs the id of each visitor.")}
            checked={requiresSignature}
            onValue={setRequiresSignature}
          />
          <CheckField
            label={t("Visitors can attach files")}
            hint={t("At most {count} of {size} MB in a message.", {
              count: MAX_ATTACHMENTS,
              size: MAX_ATTACHMENT_BYTES / MEBIBYTE,
            })}
            checked={attachments}
            onValue={setAttachments}
          />
          <FormActions>
            <Button onClick={onClose}>{t("Cancel")}</Button>
            <Button kind="primary" type="submit">
              {embedKey ? t("Save") : t("Create")}
            </Button>
          </FormActions>
        </Form>
        <WidgetPreview personaId={persona || null} theme={theme} />
      </div>
    </Dialog>
  );
}
