import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { describeError } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import {
  Badge,
  Button,
  ConfirmDialog,
  CopyButton,
  Dialog,
  Empty,
  ResourceStatus,
  SelectField,
  TextField,
} from "../ui/controls.tsx";
import { Page } from "../ui/layout.tsx";

type Template = ReplyOf<"/v1/templates/{id}", "get">;

/** List of prompt templates. */
export function Templates() {
  const list = useResource("templates", () => api.GET("/v1/templates", { params: { query: { limit: 100 } } }));
  const [editing, setEditing] = useState<Template | "new" | null>(null);
  const [using, setUsing] = useState<Template | null>(null);
  const templates = list.value?.templates ?? [];
  return (
    <Page
      title={t("Templates")}
      intro={t("Prompts with placeholders that you fill in when you use them.")}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setEditing("new")}>
          {t("New template")}
        </Button>
      }
    >
      <ResourceStatus resource={list} />
      {list.value !== null && templates.length === 0 && (
        <Empty icon="document" title={t("No template yet")}>
          {t("Write a prompt once and reuse it with different values.")}
        </Empty>
      )}
      <div class="cards">
        {templates.map((template) => (
          <article key={template.id} class="card stack tight">
            <h2>{template.name}</h2>
            <p class="muted small">{template.description || template.body.slice(0, 140)}</p>
            <div class="row wrap">
              <Badge>{template.category}</Badge>
              {template.is_system && <Badge kind="accent">{t("built in")}</Badge>}
              {template.visibility === "tenant" && !template.is_system && <Badge>{t("shared")}</Badge>}
            </div>
            <div class="row">
              <Button isSmall onClick={() => setUsing(template)}>
                {t("Use")}
              </Button>
              <Button isSmall kind="quiet" onClick={() => setEditing(template)}>
                {canEdit(template) ? t("Edit") : t("View")}
              </Button>
            </div>
          </article>
        ))}
      </div>
      {editing && <TemplateDialog template={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
      {using && <UseDialog template={using} onClose={() => setUsing(null)} />}
    </Page>
  );
}

const canEdit = ({ is_system, owner_id, visibility }: Template) =>
  !is_system && (owner_id === receptor.value?.user.user_id || (visibility === "tenant" && can("rbac.manage")));

function TemplateDialog({ template, onClose }: { readonly template: Template | null; readonly onClose: () => void }) {
  const [name, setName] = useState(template?.name ?? "");
  const [description, setDescription] = useState(template?.description ?? "");
  const [body, setBody] = useState(template?.body ?? "");
  const [visibility, setVisibility] = useState<"private" | "tenant">(template?.visibility ?? "private");
  const [error, setError] = useState<string | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const isEditable = template === null || canEdit(template);
  const save = async () => {
    const values = { name, description, body, visibility };
    try {
      if (template) {
        await api.PATCH("/v1/templates/{id}", { params: { path: { id: template.id } }, body: values });
      } else await api.POST("/v1/templates", { body: values });
      invalidate("templates");
      onClose();
    } catch (failure) {
      setError(describeError(failure));
    }
  };
  return (
    <Dialog title={template?.name ?? t("New template")} onClose={onClose} isWide>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <fieldset class="stack" disabled={!isEditable}>
          <TextField
            label={t("Name")}
            value={name}
            onValue={setName}
            maxLength={100}
            error={error}
            required
            autoFocus
          />
          <TextField label={t("Description")} value={description} onValue={setDescription} maxLength={500} />
          <TextField
            label={t("Text")}
            hint={t("Placeholders have double braces: {{topic}}")}
            value={body}
            onValue={setBody}
            rows={9}
            required
          />
          <SelectField
            label={t("Who can use it")}
            value={visibility}
            onValue={setVisibility}
            options={[
              ["private", t("Only me")],
              ["tenant", t("Everyone in the organization")],
            ]}
          />
        </fieldset>
        {isEditable && (
          <div class="actions">
            {template && (
              <Button kind="quiet" onClick={() => setDeleting(true)}>
                {t("Delete")}
              </Button>
            )}
            <Button kind="primary" type="submit">
              {t("Save")}
            </Button>
          </div>
        )}
      </form>
      {isDeleting && template && (
        <ConfirmDialog
          title={t("Delete {name}?", { name: template.name })}
          text={t("The template will be deleted for everyone who uses it.")}
          action={t("Delete")}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.DELETE("/v1/templates/{id}", { params: { path: { id: template.id } } });
            invalidate("templates");
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

function UseDialog({ template, onClose }: { readonly template: Template; readonly onClose: () => void }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(template.variables.map(({ name, default: preset }) => [name, preset ?? ""])),
  );
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  return (
    <Dialog title={template.name} onClose={onClose} isWide>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          try {
            const rendered = await api.POST("/v1/templates/{id}/render", {
              params: { path: { id: template.id } },
              body: { variables: values },
            });
            setText(rendered.text);
            setError(null);
          } catch (failure) {
            setError(describeError(failure));
          }
        }}
      >
        {template.variables.map(({ name, required }) => (
          <TextField
            key={name}
            label={name}
            value={values[name] ?? ""}
            onValue={(value) => setValues({ ...values, [name]: value })}
            required={required}
          />
        ))}
        {error && <p class="notice danger">{error}</p>}
        <div class="actions">
          <Button kind="primary" type="submit">
            {t("Fill in")}
          </Button>
        </div>
      </form>
      {text !== null && (
        <div class="code">
          <div class="code-head">
            <span>{t("Result")}</span>
            <CopyButton text={text} />
          </div>
          <pre class="wrap">{text}</pre>
        </div>
      )}
    </Dialog>
  );
}
