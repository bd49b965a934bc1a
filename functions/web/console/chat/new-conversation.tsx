import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Tier } from "../../../../shared/api/tiers.ts";
import { addResource } from "../lib/data.ts";
import { draftOf, moveModelChoice, useModelChoice } from "../lib/drafts.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas } from "../lib/lists.ts";
import { showError } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { QuestionComposer } from "./composer/question-composer.tsx";
import { takeParts } from "./composer/take-parts.ts";
import { ConnectModel } from "./connect-model.tsx";
import { addFiles, isIncomplete, pendingFiles, uploadFiles } from "./files/pending-files.ts";
import { useFileDrop } from "./files/use-file-drop.ts";
import { messagesKey, sendMessage, showFirst, type Transcript } from "./run.ts";
import { ModelMenu, PersonaMenu, TierMenu } from "./selectors.tsx";

const Markdown = onDemand(() => import("./markdown.tsx").then((module) => module.Markdown));

/** Id under which the draft and files of a conversation are stored before it exists. */
const NEW = "new";

/**
 * Ids of the conversations that files of a new question were uploaded into, by user. They outlive the view, as the files do,
 * and are temporary, so that one whose question is never asked is in no list and deleted after a day.
 */
const uploadTargets = new Map<string, Promise<string>>();

function uploadTarget(userId: string): Promise<string> {
  const existing = uploadTargets.get(userId);
  if (existing) return existing;
  const created = api.POST("/v1/conversations", { body: { title: null, temporary: true } }).then(({ id }) => id);
  uploadTargets.set(userId, created);
  // The files show the error, and later ones try again.
  created.catch(() => uploadTargets.delete(userId));
  return created;
}

/** Start page of a conversation: greeting, suggestions and the field for the first message. */
export function NewConversation() {
  const { route, query } = useLocation();
  const userId = receptor.value?.user.user_id ?? "";
  const draft = draftOf(userId, NEW);
  const [isStarting, setStarting] = useState(false);
  const [personaId, setPersonaId] = useState<string | null>(query.persona ?? null);
  const [tier, setTier] = useState<Tier>("THINKING");
  const [model, setModel] = useModelChoice(userId, NEW);
  const [isTemporary, setTemporary] = useState(false);
  const personas = usePersonas();
  const persona = personas.value?.personas.find(({ id }) => id === personaId);
  const name = receptor.value?.user.name?.split(" ")[0];
  const prompts = persona?.starter_prompts.length
    ? persona.starter_prompts
    : [t("What can you do?"), t("What do you know about our documents?"), t("Help me write a short announcement.")];
  const attach = (files: readonly File[]) => {
    addFiles(NEW, files);
    void uploadFiles(NEW, uploadTarget(userId));
  };
  const drop = useFileDrop(attach);
  const start = async (content: string) => {
    setStarting(true);
    try {
      const folder = isTemporary ? undefined : query.folder;
      const settings = { tier, persona_id: personaId, ...(folder && { folder_id: folder }) };
      const target = await uploadTargets.get(userId);
      const conversation = target
        ? await api.PATCH("/v1/conversations/{id}", {
            params: { path: { id: target } },
            body: { ...settings, ...(!isTemporary && { temporary: false }) },
          })
        : await api.POST("/v1/conversations", { body: { title: null, temporary: isTemporary, ...settings } });
      const { id } = conversation;
      uploadTargets.delete(userId);
      const { names, parts } = takeParts(NEW);
      if (content === draft.peek()) draft.value = "";
      moveModelChoice(userId, NEW, id);
      void sendMessage({ conversation_id: id, content, tier, ...(model && { model }), ...names }, null, parts);
      addResource(`conversation:${id}`, conversation);
      addResource(messagesKey(id), { messages: [], olderCursor: null } satisfies Transcript);
      showFirst(conversation);
      route(`/console/chat/${id}`);
    } catch (error) {
      setStarting(false);
      showError(error);
    }
  };
  return (
    <main class={`conversation ${drop.isOver ? "dropping" : ""}`} {...drop.handlers}>
      <div class="conversation-head only-narrow-flex">
        <a class="icon-button" href="/console/chat?list" aria-label={t("All conversations")}>
          <Icon name="back" />
        </a>
      </div>
      <div class="welcome">
        <div class="welcome-text">
          <h1>
            {persona?.name ??
              (name ? t("Hello {name}, what would you like to know?", { name }) : t("What would you like to know?"))}
          </h1>
          {persona?.greeting && (
            <div class="prose">
              <Markdown text={persona.greeting} />
            </div>
          )}
          <p class="muted">
            {persona
              ? persona.description
              : t("Answers use the knowledge that you may read, and cite the passages they come from.")}
          </p>
        </div>
        <QuestionComposer
          draft={draft}
          setPersona={setPersonaId}
          isRunning={isStarting}
          onSend={() => start(draft.peek())}
          filesOf={NEW}
          onFiles={attach}
        >
          <PersonaMenu value={personaId} onValue={setPersonaId} />
          <TierMenu value={tier} onValue={setTier} />
          <ModelMenu value={model} personaId={personaId} onValue={setModel} />
          <Button
            isSmall
            kind="quiet"
            icon="clock"
            aria-pressed={isTemporary}
            aria-label={t("Temporary")}
            title={t("In no list, without memories, deleted after a day")}
            onClick={() => setTemporary(!isTemporary)}
          >
            <span class="label">{t("Temporary")}</span>
          </Button>
        </QuestionComposer>
        {receptor.value?.features.language_model === false && can("policy.manage") && <ConnectModel />}
        <div class="prompts">
          {prompts.map((prompt) => (
            <button
              key={prompt}
              type="button"
              class="prompt"
              disabled={isStarting || isIncomplete(pendingFiles(NEW).value)}
              onClick={() => start(prompt)}
            >
              {prompt}
            </button>
          ))}
        </div>
      </div>
    </main>
  );
}
