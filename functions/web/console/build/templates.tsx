import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { useTemplates } from "../lib/lists.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button, CopyButton } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/fields.tsx";
import { EditDialog, Form, FormActions } from "../ui/form.tsx";
import { ListPage } from "../ui/list.tsx";
import { Badge } from "../ui/status.tsx";

type Template = ReplyOf<"/v1/templates/{id}", "get">;

export function Templates() {
  const list = useTemplates();
  const [editing, setEditing] = useState<Template | "new" | null>(null);
  const [using, setUsing] = useState<Template | null>(null);
  const templates = list.value?.templates ?? [];
  return (
    <ListPage
      title={t("Templates")}
      intro={t("Prompts with placeholders that you fill in when you use them.")}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      resource={list}
      count={templates.length}
      create={
        <Button kind="primary" icon="plus" onClick={() => setEditing("new")}>
          {t("New template")}
        </Button>
      }
      empty={{
        icon: "document",
        title: t("No template yet"),
        text: t("Write a prompt once and reuse it with different values."),
      }}
    >
      <div class="cards">
        {templates.map((template) => (
          <article key={template.id} class="card stack tight">
            <h2 class="truncate">{template.name}</h2>
            <p class="muted small">{template.description || template.body.slice(0, 140)}</p>
            <div class="row wrap">
              <Badge>{template.category === "general" ? t("General") : template.category}</Badge>
              {template.is_system && <Badge kind="accent">{t("built in")}</Badge>}
              {template.visibility === "tenant" && !template.is_system && <Badge>{t("shared")}</Badge>}
            </div>
            <div class="row">
              <Button isSmall onClick={() => setUsing(template)}>
                {t("Use")}
              </Button>
              <Button isSmall onClick={() => setEditing(template)}>
                {canEdit(template) ? t("Edit") : t("View")}
              </Button>
            </div>
          </article>
        ))}
      </div>
      {editing && <TemplateDialog template={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
      {using && <UseDialog template={using} onClose={() => setUsing(null)} />}
    </ListPage>
  );
}

const canEdit = ({ is_system, owner_id, visibility }: Template) =>
  !is_system && (owner_id === receptor.value?.user.user_id || (visibility === "tenant" && can("rbac.manage")));

function TemplateDialog({ template, onClose }: { readonly template: Template | null; readonly onClose: () => void }) {
  const [name, setName] = useState(template?.name ?? "");
  const [description, setDescription] = useState(template?.description ?? "");
  const [body, setBody] = useState(template?.body ?? "");
  const [visibility, setVisibility] = useState<"private" | "tenant">(template?.visibility ?? "private");
  const params = { path: { id: template?.id ?? "" } };
  const save = async () => {
    const values = { name, description, body, visibility };
    if (template) await api.PATCH("/v1/templates/{id}", { params, body: values });
    else await api.POST("/v1/templates", { body: values });
    invalidate("templates");
  };
  return (
    <EditDialog
      title={template?.name ?? t("New template")}
      isWide
      isReadOnly={template !== null && !canEdit(template)}
      deletion={
        template && {
          title: t("Delete {name}?", { name: template.name }),
          text: t("The template will be deleted for everyone who uses it."),
          onConfirm: async () => {
            await api.DELETE("/v1/templates/{id}", { params });
            invalidate("templates");
          },
        }
      }
      onSave={save}
      onClose={onClose}
    >
      <TextField label={t("Name")} name="name" value={name} onValue={setName} maxLength={100} required autoFocus />
      <TextField
        label={t("Description")}
        name="description"
        value={description}
        onValue={setDescription}
        maxLength={500}
      />
      <TextField
        label={t("Text")}
        name="body"
        hint={t("Placeholders have double braces: {{topic}}")}
        value={body}
        onValue={setBody}
        rows={9}
        required
      />
      <SelectField
        label={t("Who can use it")}
        name="visibility"
        value={visibility}
        onValue={setVisibility}
        options={[
          ["private", t("Only me")],
          ["tenant", t("Everyone in the organization")],
        ]}
      />
    </EditDialog>
  );
}

function UseDialog({ template, onClose }: { readonly template: Template; readonly onClose: () => void }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(template.variables.map(({ name, default: preset }) => [name, preset ?? ""])),
  );
  const [text, setText] = useState<string | null>(null);
  return (
    <Dialog title={template.name} onClose={onClose} isWide>
      <Form
        onSubmit={async () => {
          const rendered = await api.POST("/v1/templates/{id}/render", {
            params: { path: { id: template.id } },
            body: { variables: values },
          });
          setText(rendered.text);
        }}
      >
        {template.variables.map(({ name, required }) => (
          <TextField
            key={name}
            label={name}
            name={`variables.${name}`}
            value={values[name] ?? ""}
            onValue={(value) => setValues({ ...values, [name]: value })}
            required={required}
          />
        ))}
        <FormActions>
          <Button kind="primary" type="submit">
            {t("Fill in")}
          </Button>
        </FormActions>
      </Form>
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
