import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { visibilityTexts } from "../lib/codes/visibility-texts.ts";
import { t } from "../lib/i18n.ts";
import { useTemplates } from "../lib/lists.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button, CopyButton } from "../ui/buttons.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ResourcePage } from "../ui/resource-page.tsx";
import { Badge } from "../ui/status.tsx";

type Template = ReplyOf<"/v1/templates/{id}", "get">;

export function Templates() {
  const list = useTemplates();
  const [using, setUsing] = useState<Template | null>(null);
  return (
    <>
      <ResourcePage
        title={t("Templates")}
        intro={t("Prompts with placeholders that you fill in when you use them.")}
        resource={list}
        entries={list.value?.templates}
        name="templates"
        newText={t("New template")}
        dialog={(template, close) => <TemplateDialog template={template} onClose={close} />}
        empty={{
          icon: "document",
          title: t("No template yet"),
          text: t("Write a prompt once and reuse it with different values."),
        }}
        textOf={({ name, description, body }) => `${name} ${description} ${body}`}
        card={(template, { edit }) => (
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
              <Button isSmall onClick={() => edit(template)}>
                {canEdit(template) ? t("Edit") : t("View")}
              </Button>
            </div>
          </article>
        )}
      />
      {using && <UseDialog template={using} onClose={() => setUsing(null)} />}
    </>
  );
}

const canEdit = ({ is_system, owner_id, visibility }: Template) =>
  !is_system && (owner_id === receptor.value?.user.user_id || (visibility === "tenant" && can("rbac.manage")));

function TemplateDialog({ template, onClose }: { readonly template: Template | null; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={template?.name ?? t("New template")}
      isWide
      isReadOnly={template !== null && !canEdit(template)}
      schema={bodySchema("/v1/templates", "post")}
      value={template}
      fields={[
        { name: "name", label: t("Name") },
        { name: "description", label: t("Description") },
        { name: "body", label: t("Text"), hint: t("Placeholders have double braces: {{topic}}"), rows: 9 },
        { name: "visibility", label: t("Who can use it"), options: visibilityTexts() },
      ]}
      resource="templates"
      entity={{ path: "/v1/templates", id: template?.id }}
      deletion={{ text: t("The template will be deleted for everyone who uses it.") }}
      onClose={onClose}
    />
  );
}

function UseDialog({ template, onClose }: { readonly template: Template; readonly onClose: () => void }) {
  const [text, setText] = useState<string | null>(null);
  const { variables } = template;
  return (
    <FormDialog
      title={template.name}
      isWide
      action={t("Fill in")}
      value={{ variables: Object.fromEntries(variables.map(({ name, default: preset }) => [name, preset])) }}
      fields={[
        ...variables.map(({ name, required }) => ({
          name: `variables.${name}` as const,
          label: name,
          isRequired: required,
        })),
        text !== null && (
          <div class="code">
            <div class="code-head">
              <span>{t("Result")}</span>
              <CopyButton text={text} />
            </div>
            <pre class="wrap">{text}</pre>
          </div>
        ),
      ]}
      onSave={async (body: { variables?: Record<string, string> }) => {
        const params = { path: { id: template.id } };
        setText((await api.POST("/v1/templates/{id}/render", { params, body: { variables: {}, ...body } })).text);
      }}
      onSaved={() => {}}
      onClose={onClose}
    />
  );
}
