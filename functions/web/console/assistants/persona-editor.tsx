import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Persona } from "../../../../shared/api/personas/persona.ts";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { TierSelect } from "../chat/tier-select.tsx";
import { invalidate, useResource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { useCollections, useModels, useToolServers } from "../lib/lists.ts";
import { showToast } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { CheckField } from "../ui/fields.tsx";
import { Form, FormError } from "../ui/form.tsx";
import { ChecksField, type FormEntry, type PathOf, useFields } from "../ui/form-fields.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { Menu } from "../ui/menu.tsx";
import { Badge, FailureMessage, Skeleton } from "../ui/status.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { TestSets } from "./evaluations/test-sets.tsx";
import { PersonaPreview } from "./persona-preview.tsx";
import { audienceTexts } from "./personas.tsx";
import { PublishDialog } from "./publish-dialog.tsx";
import { type PersonaTab, personaPath } from "./versions/persona-path.ts";
import { PersonaVersions } from "./versions/persona-versions.tsx";

const toolTexts = () => ({
  search_knowledge: t("Search the knowledge"),
  search_conversation: t("Search the conversation"),
  search_memory: t("Search memories"),
  read_note: t("Read notes"),
  create_note: t("Create notes"),
  propose_memory: t("Propose memories"),
  calculate: t("Calculate"),
  current_time: t("Tell the time"),
  web_search: t("Search the web"),
  read_page: t("Read web pages"),
  ask_user: t("Ask the user with a form"),
});

type Version = ReplyOf<"/v1/personas/{id}/versions/{version}", "get">;

/** Page of a persona: loads it with the version of the address, or starts with an empty one. */
export function PersonaEditor({ id }: { readonly id: string | null }) {
  const { query } = useLocation();
  const persona = useResource(id === null ? null : `persona:${id}`, () =>
    api.GET("/v1/personas/{id}", { params: { path: { id: id ?? "" } } }),
  );
  const shown = id !== null && query.version !== undefined ? query.version : null;
  const version = useResource(shown === null ? null : `persona:${id}:version:${shown}`, () =>
    api.GET("/v1/personas/{id}/versions/{version}", { params: { path: { id: id ?? "", version: shown ?? "" } } }),
  );
  const missing = [persona, ...(shown === null ? [] : [version])].find(({ value }) => value === null);
  if (id !== null && missing) {
    return (
      <PageLayout title={t("Persona")} back={{ path: "/console/assistants/personas", label: t("Personas") }}>
        {missing.error === null ? <Skeleton /> : <FailureMessage error={missing.error} onRetry={missing.reload} />}
      </PageLayout>
    );
  }
  return (
    <PersonaForm
      key={`${persona.value?.version ?? "new"} ${shown}`}
      persona={id === null ? null : persona.value}
      version={shown === null ? null : version.value}
    />
  );
}

type PersonaBody = BodyOf<"/v1/personas", "post">;

function usePersonaFields(draft: { readonly model: string | null }): readonly FormEntry<PathOf<PersonaBody>>[] {
  const collections = useCollections().value?.collections;
  const models = useModels().value?.models.map(({ name }) => name) ?? [];
  const servers = useToolServers().value?.servers ?? [];
  return [
    [
      { name: "name", label: t("Name"), placeholder: t("Support assistant") },
      { name: "description", label: t("Description") },
    ],
    {
      name: "instructions",
      label: t("Instructions"),
      hint: t("Role, tone and limits. Only you and administrators can read them."),
      rows: 8,
      placeholder: t(
        "You help employees with questions about travel and expenses. Answer briefly and cite the handbook.",
      ),
    },
    { name: "greeting", label: t("Greeting"), placeholder: t("Hello, how can I help?") },
    { name: "starter_prompts", label: t("Suggested questions, one per line"), rows: 3 },
    [
      { name: "visibility", label: t("Who can use it"), options: audienceTexts() },
      {
        name: "tier",
        label: "",
        render: ({ value, onValue }) => <TierSelect value={value as Persona["tier"]} onValue={onValue} />,
      },
    ],
    {
      name: "model",
      label: t("Language model"),
      options: [
        ["", t("The one of the depth")],
        ...[...new Set([...models, ...(draft.model ? [draft.model] : [])])].map((name) => [name, name] as const),
      ],
    },
    {
      name: "collection_ids",
      label: t("Knowledge"),
      options: collections?.map(({ id, name }) => [id, name]) ?? [],
    },
    collections?.length === 0 && (
      <p class="muted small">{t("There is no collection yet. Without one, all readable knowledge is used.")}</p>
    ),
    { name: "tools", label: t("Tools (none selected: all but the web)"), options: toolTexts() },
    servers.length > 0 && {
      name: "tool_servers",
      label: t("Tool servers"),
      render: ({ label, value, onValue }) => {
        const used = value as Persona["tool_servers"];
        return (
          <ChecksField
            label={label}
            options={servers.map(({ id, name }) => [id, name])}
            values={used.map(({ server_id }) => server_id)}
            onValues={(ids) =>
              onValue(
                ids.map(
                  (id) => used.find((each) => each.server_id === id) ?? { server_id: id, mode: "auto", tools: null },
                ),
              )
            }
          />
        );
      },
    },
    {
      name: "api_tools",
      label: t("Run tools here for clients of the OpenAI-compatible API (calls without consent only)"),
    },
    { name: "note", label: t("Note on this version"), placeholder: t("Why it was changed") },
  ];
}

function PersonaForm({
  persona,
  version,
}: {
  readonly persona: Persona | null;
  /** Version to show instead of the one that everybody gets. */
  readonly version: Version | null;
}) {
  const { route, query } = useLocation();
  const [dialog, setDialog] = useState<"publish" | "delete" | null>(null);
  const user = receptor.value?.user.user_id;
  const canEdit = persona === null || persona.owner_id === user || can("rbac.manage");
  const tab: PersonaTab = canEdit && (query.tab === "versions" || query.tab === "tests") ? query.tab : "settings";
  const shown = version?.version ?? persona?.version ?? null;
  const [isDraft, setDraft] = useState(shown !== (persona?.version ?? null) || (persona?.gate ?? null) !== null);
  const { view, get, read } = useFields({
    schema: bodySchema("/v1/personas", "post"),
    value: { ...persona, ...version, note: undefined, ...(persona && { visibility: persona.visibility }) },
    fields: usePersonaFields({ model: persona?.model ?? null }),
  });
  const save = async () => {
    const body = read();
    const { visibility, ...others } = body;
    // A draft cannot change who uses the persona, so that the service refuses it if it does.
    const draft = { ...(visibility === persona?.visibility ? others : body), publish: false };
    const saved = persona
      ? await api.PATCH("/v1/personas/{id}", { params: { path: { id: persona.id } }, body: isDraft ? draft : body })
      : await api.POST("/v1/personas", { body });
    invalidate("persona");
    showToast(t("Saved."));
    if (persona && isDraft) route(personaPath(saved.id, saved.latest_version ?? saved.version));
    else if (!persona || version) route(personaPath(saved.id), true);
  };
  const prompts = get("starter_prompts");
  const isPinned = persona?.endpoint && persona.endpoint.version !== persona.version;
  return (
    <PageLayout
      title={persona?.name ?? t("New persona")}
      back={{ path: "/console/assistants/personas", label: t("Personas") }}
      actions={
        persona && (
          <>
            {persona.endpoint && (
              <Badge kind={persona.endpoint.enabled ? "success" : "warning"}>
                {persona.endpoint.enabled ? t("Published as {slug}", { slug: persona.endpoint.slug }) : t("disabled")}
              </Badge>
            )}
            <a class="button" href={`/console/chat?persona=${persona.id}`}>
              {t("Chat")}
            </a>
            {canEdit && can("persona.publish") && (
              <Button kind="primary" onClick={() => setDialog("publish")}>
                {persona.endpoint ? t("Publication") : t("Publish")}
              </Button>
            )}
            {canEdit && (
              <Menu
                label={t("Actions for {name}", { name: persona.name })}
                entries={[{ label: t("Delete"), icon: "trash", isDanger: true, onSelect: () => setDialog("delete") }]}
              />
            )}
          </>
        )
      }
    >
      {isPinned && (
        <p class="notice warning">
          {t("The endpoint answers with version {number}. Publish it again to update it.", {
            number: persona.endpoint?.version ?? "",
          })}
        </p>
      )}
      {version && persona && version.version !== persona.version && (
        <p class="notice accent">
          <span class="grow">
            {t("This is version {number}. Everyone gets version {current}.", {
              number: version.version,
              current: persona.version,
            })}
          </span>
          <a href={personaPath(persona.id)}>{t("Version {number}", { number: persona.version })}</a>
        </p>
      )}
      {!canEdit && <p class="notice">{t("Only the owner and administrators can change this persona.")}</p>}
      {persona && canEdit && (
        <Tabs
          label={persona.name}
          value={tab}
          onValue={(next) => route(personaPath(persona.id, version?.version, next), true)}
          options={[
            ["settings", t("Settings")],
            ["versions", t("Versions")],
            ["tests", t("Test sets")],
          ]}
        />
      )}
      {persona && tab === "versions" && <PersonaVersions persona={persona} shown={shown ?? persona.version} />}
      {persona && tab === "tests" && <TestSets personaId={persona.id} />}
      <div class="columns" hidden={tab !== "settings"}>
        <Form isUnchecked onSubmit={save}>
          <fieldset class="stack" disabled={!canEdit}>
            {view}
          </fieldset>
          <FormError />
          {canEdit && (
            <div class="save-bar">
              {persona && (
                <div class="grow">
                  <CheckField
                    label={t("Save as a draft")}
                    hint={isDraft ? t("Only you and administrators can try it.") : ""}
                    checked={isDraft}
                    onValue={setDraft}
                  />
                </div>
              )}
              <Button kind="primary" type="submit" disabled={String(get("name")).trim() === ""}>
                {persona ? (isDraft ? t("Save as a draft") : t("Save")) : t("Create")}
              </Button>
            </div>
          )}
        </Form>
        <PersonaPreview
          draft={{
            name: String(get("name")),
            greeting: String(get("greeting")),
            starter_prompts: Array.isArray(prompts) ? prompts : String(prompts).split("\n"),
          }}
          personaId={persona?.id ?? null}
          version={canEdit ? shown : null}
        />
      </div>
      {dialog === "publish" && persona && (
        <PublishDialog persona={persona} version={shown ?? persona.version} onClose={() => setDialog(null)} />
      )}
      {dialog === "delete" && persona && (
        <ConfirmDialog
          title={t("Delete {name}?", { name: persona.name })}
          text={t("Its endpoint is deleted too. Conversations with it continue without it.")}
          action={t("Delete")}
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/personas/{id}", { params: { path: { id: persona.id } } });
            invalidate("personas");
            route("/console/assistants/personas");
          }}
        />
      )}
    </PageLayout>
  );
}
