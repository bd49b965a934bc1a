import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Tier } from "../../../../shared/api/tiers.ts";
import { invalidate } from "../lib/data.ts";
import { moveModelChoice, useDraft, useModelChoice } from "../lib/drafts.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas } from "../lib/lists.ts";
import { showError } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { Composer } from "./composer.tsx";
import { addDocuments, takeDocuments } from "./documents/pending-documents.ts";
import { addFiles, isIncomplete, moveFiles, pendingFiles, uploadFiles } from "./files/pending-files.ts";
import { useFileDrop } from "./files/use-file-drop.ts";
import { sendMessage } from "./run.ts";
import { ModelMenu, PersonaMenu, TierMenu } from "./selectors.tsx";
import { useSuggestions } from "./suggestions.ts";
import { takeParts } from "./take-parts.ts";

const ConnectModel = onDemand(() => import("./connect-model.tsx").then((module) => module.ConnectModel));
const Markdown = onDemand(() => import("./markdown.tsx").then((module) => module.Markdown));

/** Id under which the draft and files of a conversation are stored before it exists. */
const NEW = "new";

/** Start page of a conversation: greeting, suggestions and the field for the first message. */
export function NewConversation() {
  const { route, query } = useLocation();
  const userId = receptor.value?.user.user_id ?? "";
  const [text, setText] = useDraft(userId, NEW);
  const [isStarting, setStarting] = useState(false);
  // Id of the conversation once it was created for files, one of which was refused.
  const [filesOf, setFilesOf] = useState(NEW);
  // The conversation of refused files, which is deleted unless the question is sent.
  const abandonedId = useRef<string | null>(null);
  useEffect(
    () => () => {
      const id = abandonedId.current;
      if (id) void api.DELETE("/v1/conversations/{id}", { params: { path: { id } } }).catch(() => {});
    },
    [],
  );
  const [personaId, setPersonaId] = useState<string | null>(query.persona ?? null);
  const [tier, setTier] = useState<Tier>("THINKING");
  const [model, setModel] = useModelChoice(userId, NEW);
  const [isTemporary, setTemporary] = useState(false);
  const personas = usePersonas();
  const suggest = useSuggestions(text, setText, setPersonaId, filesOf);
  const persona = personas.value?.personas.find(({ id }) => id === personaId);
  const name = receptor.value?.user.name?.split(" ")[0];
  const prompts = persona?.starter_prompts.length
    ? persona.starter_prompts
    : [t("What can you do?"), t("What do you know about our documents?"), t("Help me write a short announcement.")];
  const attach = (files: readonly File[]) => {
    addFiles(filesOf, files);
    // Files are uploaded into a conversation, which the question starts.
    if (filesOf !== NEW) void uploadFiles(filesOf);
  };
  const drop = useFileDrop(attach);
  const start = async (content: string) => {
    setStarting(true);
    abandonedId.current = null;
    try {
      const body = {
        title: null,
        tier,
        persona_id: personaId,
        temporary: isTemporary,
        folder_id: isTemporary ? null : (query.folder ?? null),
      };
      const isNew = filesOf === NEW;
      const id = isNew ? (await api.POST("/v1/conversations", { body })).id : filesOf;
      if (isNew) addDocuments(id, takeDocuments(NEW));
      else {
        await api.PATCH("/v1/conversations/{id}", { params: { path: { id } }, body: { tier, persona_id: personaId } });
      }
      if (pendingFiles(filesOf).value.length > 0) {
        if (isNew) moveFiles(NEW, id);
        setFilesOf(id);
        await uploadFiles(id);
        if (isIncomplete(pendingFiles(id).value)) {
          abandonedId.current = id;
          setStarting(false);
          return;
        }
      }
      const { names, parts } = takeParts(id);
      if (content === text) setText("");
      moveModelChoice(userId, NEW, id);
      void sendMessage({ conversation_id: id, content, tier, ...(model && { model }), ...names }, null, parts);
      invalidate("conversations:");
      route(`/console/chat/${id}`);
    } catch (error) {
      if (filesOf !== NEW) abandonedId.current = filesOf;
      setStarting(false);
      showError(error);
    }
  };
  return (
    <main class={`conversation ${drop.isOver ? "dropping" : ""}`} {...drop.handlers}>
      <div class="conversation-head only-narrow-flex">
        <a class="icon-button" href="/console/chat" aria-label={t("All conversations")}>
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
        <Composer
          suggest={suggest}
          value={text}
          onValue={setText}
          isRunning={isStarting}
          onSend={() => start(text)}
          filesOf={filesOf}
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
            disabled={filesOf !== NEW}
            aria-label={t("Temporary")}
            title={t("In no list, without memories, deleted after a day")}
            onClick={() => setTemporary(!isTemporary)}
          >
            <span class="label">{t("Temporary")}</span>
          </Button>
        </Composer>
        {receptor.value?.features.language_model === false && can("policy.manage") && <ConnectModel />}
        <div class="prompts">
          {prompts.map((prompt) => (
            <button key={prompt} type="button" class="prompt" disabled={isStarting} onClick={() => start(prompt)}>
              {prompt}
            </button>
          ))}
        </div>
      </div>
    </main>
  );
}
