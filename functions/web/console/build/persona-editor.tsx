import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Persona } from "../../../../shared/api/personas/personas.ts";
import { TierSelect } from "../chat/tier-select.tsx";
import { invalidate, useResource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { useCollections, useModels, useToolServers } from "../lib/lists.ts";
import { showToast } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../ui/fields.tsx";
import { Form, FormError } from "../ui/form.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { Menu } from "../ui/menu.tsx";
import { Badge, FailureMessage, Skeleton } from "../ui/status.tsx";
import { PersonaPreview } from "./persona-preview.tsx";
import { audienceTexts } from "./personas.tsx";
import { PublishDialog } from "./publish-dialog.tsx";

type Draft = Pick<
  Persona,
  | "name"
  | "description"
  | "visibility"
  | "tier"
  | "model"
  | "collection_ids"
  | "tools"
  | "tool_servers"
  | "api_tools"
  | "greeting"
  | "starter_prompts"
> & { readonly instructions: string };

const emptyDraft: Draft = {
  name: "",
  description: "",
  instructions: "",
  visibility: "private",
  tier: "THINKING",
  model: null,
  collection_ids: [],
  tools: [],
  tool_servers: [],
  api_tools: false,
  greeting: "",
  starter_prompts: [],
};

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
});

/** Page of a persona: loads it, or starts with an empty one. */
export function PersonaEditor({ id }: { readonly id: string | null }) {
  const persona = useResource(id === null ? null : `persona:${id}`, () =>
    api.GET("/v1/personas/{id}", { params: { path: { id: id ?? "" } } }),
  );
  if (id !== null && persona.value === null) {
    return (
      <PageLayout title={t("Persona")} back={{ path: "/console/build/personas", label: t("Personas") }}>
        {persona.error === null ? <Skeleton /> : <FailureMessage error={persona.error} onRetry={persona.reload} />}
      </PageLayout>
    );
  }
  return <PersonaForm key={persona.value?.version ?? "new"} persona={id === null ? null : persona.value} />;
}

function PersonaForm({ persona }: { readonly persona: Persona | null }) {
  const { route } = useLocation();
  const [draft, setDraft] = useState<Draft>(
    persona ? { ...persona, instructions: persona.instructions ?? "" } : emptyDraft,
  );
  const [isBusy, setBusy] = useState(false);
  const [dialog, setDialog] = useState<"publish" | "delete" | null>(null);
  const collections = useCollections();
  const models = useModels();
  const list = useToolServers();
  const servers = list.value?.servers ?? [];
  const user = receptor.value?.user.user_id;
  const canEdit = persona === null || persona.owner_id === user || can("rbac.manage");
  const set = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const toggle = <Entry extends string>(list: readonly Entry[], entry: Entry, isOn: boolean) =>
    isOn ? [...list, entry] : list.filter((each) => each !== entry);
  const save = async () => {
    setBusy(true);
    const { name, description, instructions, visibility, tier, model, collection_ids, tools } = draft;
    const { tool_servers, api_tools, greeting } = draft;
    const body = {
      name,
      description,
      instructions,
      visibility,
      tier,
      model,
      collection_ids,
      tools,
      tool_servers,
      api_tools,
      greeting,
      starter_prompts: draft.starter_prompts.filter((prompt) => prompt.trim()),
    };
    try {
      const saved = persona
        ? await api.PATCH("/v1/personas/{id}", { params: { path: { id: persona.id } }, body })
        : await api.POST("/v1/personas", { body });
      invalidate("persona");
      showToast(t("Saved."));
      if (!persona) route(`/console/build/personas/${saved.id}`, true);
    } finally {
      setBusy(false);
    }
  };
  const isPinned = persona?.endpoint && persona.endpoint.version !== persona.version;
  return (
    <PageLayout
      title={persona?.name ?? t("New persona")}
      back={{ path: "/console/build/personas", label: t("Personas") }}
      actions={
        persona && (
          <>
            {persona.endpoint && (
              <Badge kind={persona.endpoint.enabled ? "success" : "warning"}>
                {persona.endpoint.enabled ? t("Published as {slug}", { slug: persona.endpoint.slug }) : t("disabled")}
              </Badge>
            )}
            <a class="button" href={`/console/chat?new&persona=${persona.id}`}>
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
          {t("The published version is older than the saved one. Publish again to update it.")}
        </p>
      )}
      {!canEdit && <p class="notice">{t("Only the owner and administrators can change this persona.")}</p>}
      <div class="columns">
        <Form onSubmit={save}>
          <fieldset class="stack" disabled={!canEdit}>
            <div class="pair">
              <TextField
                label={t("Name")}
                name="name"
                value={draft.name}
                onValue={(name) => set({ name })}
                maxLength={100}
                placeholder={t("Support assistant")}
                required
              />
              <TextField
                label={t("Description")}
                name="description"
                value={draft.description}
                onValue={(description) => set({ description })}
                maxLength={2000}
              />
            </div>
            <TextField
              label={t("Instructions")}
              name="instructions"
              hint={t("Role, tone and limits. Only you and administrators can read them.")}
              rows={8}
              value={draft.instructions}
              onValue={(instructions) => set({ instructions })}
              maxLength={16000}
              placeholder={t(
                "You help employees with questions about travel and expenses. Answer briefly and cite the handbook.",
              )}
            />
            <TextField
              label={t("Greeting")}
              name="greeting"
              value={draft.greeting}
              onValue={(greeting) => set({ greeting })}
              maxLength={2000}
              placeholder={t("Hello, how can I help?")}
            />
            <TextField
              label={t("Suggested questions, one per line")}
              name="starter_prompts"
              rows={3}
              value={draft.starter_prompts.join("\n")}
              onValue={(text) => set({ starter_prompts: text === "" ? [] : text.split("\n").slice(0, 10) })}
            />
            <div class="pair">
              <SelectField
                label={t("Who can use it")}
                name="visibility"
                value={draft.visibility}
                onValue={(visibility) => set({ visibility })}
                options={Object.entries(audienceTexts()) as [Draft["visibility"], string][]}
              />
              <TierSelect value={draft.tier} onValue={(tier) => set({ tier })} />
            </div>
            <SelectField
              label={t("Language model")}
              name="model"
              value={draft.model ?? ""}
              onValue={(model) => set({ model: model || null })}
              options={[
                ["", t("The one of the depth")],
                ...[
                  ...new Set([
                    ...(models.value?.models.map(({ name }) => name) ?? []),
                    ...(draft.model ? [draft.model] : []),
                  ]),
                ].map((name) => [name, name] as const),
              ]}
            />
            <fieldset class="section">
              <legend class="label">{t("Knowledge")}</legend>
              {collections.value?.collections.length === 0 && (
                <p class="muted small">
                  {t("There is no collection yet. Without one, all readable knowledge is used.")}
                </p>
              )}
              <div class="checks">
                {collections.value?.collections.map(({ id, name }) => (
                  <CheckField
                    key={id}
                    label={name}
                    checked={draft.collection_ids.includes(id)}
                    onValue={(isOn) => set({ collection_ids: toggle(draft.collection_ids, id, isOn) })}
                  />
                ))}
              </div>
            </fieldset>
            <fieldset class="section">
              <legend class="label">{t("Tools (none selected: all but the web)")}</legend>
              <div class="checks">
                {(Object.entries(toolTexts()) as [Draft["tools"][number], string][]).map(([tool, text]) => (
                  <CheckField
                    key={tool}
                    label={text}
                    checked={draft.tools.includes(tool)}
                    onValue={(isOn) => set({ tools: toggle(draft.tools, tool, isOn) })}
                  />
                ))}
              </div>
            </fieldset>
            {servers.length > 0 && (
              <fieldset class="section">
                <legend class="label">{t("Tool servers")}</legend>
                <div class="checks">
                  {servers.map(({ id, name }) => (
                    <CheckField
                      key={id}
                      label={name}
                      checked={draft.tool_servers.some(({ server_id }) => server_id === id)}
                      onValue={(isOn) => {
                        const others = draft.tool_servers.filter(({ server_id }) => server_id !== id);
                        set({
                          tool_servers: isOn ? [...others, { server_id: id, mode: "auto", tools: null }] : others,
                        });
                      }}
                    />
                  ))}
                </div>
              </fieldset>
            )}
            <CheckField
              label={t("Run tools here for clients of the OpenAI-compatible API (calls without consent only)")}
              checked={draft.api_tools}
              onValue={(api_tools) => set({ api_tools })}
            />
          </fieldset>
          <FormError />
          {canEdit && (
            <div class="save-bar">
              {persona && <span class="muted small grow">{t("Version {number}", { number: persona.version })}</span>}
              <Button kind="primary" type="submit" disabled={isBusy || !draft.name.trim()}>
                {persona ? t("Save") : t("Create")}
              </Button>
            </div>
          )}
        </Form>
        <PersonaPreview draft={draft} personaId={persona?.id ?? null} />
      </div>
      {dialog === "publish" && persona && <PublishDialog persona={persona} onClose={() => setDialog(null)} />}
      {dialog === "delete" && persona && (
        <ConfirmDialog
          title={t("Delete {name}?", { name: persona.name })}
          text={t("Its endpoint is deleted too. Conversations with it continue without it.")}
          action={t("Delete")}
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/personas/{id}", { params: { path: { id: persona.id } } });
            invalidate("personas");
            route("/console/build/personas");
          }}
        />
      )}
    </PageLayout>
  );
}
