import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate } from "../lib/data.ts";
import { useDraft } from "../lib/drafts.ts";
import { t } from "../lib/i18n.ts";
import { usePersonas } from "../lib/lists.ts";
import { showError } from "../lib/toast.ts";
import { api, receptor } from "../session/session.ts";
import { Icon } from "../ui/icons.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { Composer } from "./composer.tsx";
import { send } from "./run.ts";
import { PersonaMenu, type Tier, TierMenu } from "./selectors.tsx";
import { useSuggestions } from "./suggestions.ts";

const Markdown = onDemand(() => import("./markdown.tsx").then((module) => module.Markdown));

/** Start of a conversation: greeting, suggestions and the field for the first message. */
export function NewConversation() {
  const { route, query } = useLocation();
  const [text, setText] = useDraft(receptor.value?.user.user_id ?? "", "new");
  const [isStarting, setStarting] = useState(false);
  const [personaId, setPersonaId] = useState<string | null>(query.persona ?? null);
  const [tier, setTier] = useState<Tier>("THINKING");
  const personas = usePersonas();
  const suggest = useSuggestions(setText, setPersonaId);
  const persona = personas.value?.personas.find(({ id }) => id === personaId);
  const name = receptor.value?.user.name?.split(" ")[0];
  const prompts = persona?.starter_prompts.length
    ? persona.starter_prompts
    : [t("What can you do?"), t("What do you know about our documents?"), t("Help me write a short announcement.")];
  const start = async (content: string) => {
    setStarting(true);
    try {
      const { id } = await api.POST("/v1/conversations", {
        body: { title: null, tier, persona_id: personaId },
      });
      if (content === text) setText("");
      void send({ conversation_id: id, content, tier });
      invalidate("conversations:");
      route(`/console/chat/${id}`);
    } catch (error) {
      setStarting(false);
      showError(error);
    }
  };
  return (
    <main class="conversation">
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
        <Composer suggest={suggest} value={text} onValue={setText} isRunning={isStarting} onSend={() => start(text)}>
          <PersonaMenu value={personaId} onValue={setPersonaId} />
          <TierMenu value={tier} onValue={setTier} />
        </Composer>
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
