import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate, useResource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { showError } from "../lib/toast.ts";
import { api, receptor } from "../session/session.ts";
import { Icon } from "../ui/icons.tsx";
import { Composer } from "./composer.tsx";
import { send } from "./run.ts";
import { PersonaMenu, type Tier, TierMenu } from "./selectors.tsx";

/** Maximum length of a title that is made from the first message, in characters. */
const TITLE_LENGTH = 60;

function titleOf(message: string): string {
  const line = message.trim().split("\n")[0] ?? "";
  if (line.length <= TITLE_LENGTH) return line;
  return `${line.slice(0, TITLE_LENGTH).replace(/\s+\S*$/, "")}…`;
}

/** Start of a conversation: greeting, suggestions and the field for the first message. */
export function NewConversation() {
  const { route, query } = useLocation();
  const [text, setText] = useState("");
  const [isStarting, setStarting] = useState(false);
  const [personaId, setPersonaId] = useState<string | null>(query.persona ?? null);
  const [tier, setTier] = useState<Tier>("THINKING");
  const personas = useResource("personas", () => api.GET("/v1/personas"));
  const persona = personas.value?.personas.find(({ id }) => id === personaId);
  const name = receptor.value?.user.name?.split(" ")[0];
  const prompts = persona?.starter_prompts.length
    ? persona.starter_prompts
    : [t("What can you do?"), t("What do you know about our documents?"), t("Help me write a short announcement.")];
  const start = async (content: string) => {
    setStarting(true);
    try {
      const { id } = await api.POST("/v1/conversations", {
        body: { title: titleOf(content), tier, persona_id: personaId },
      });
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
            {persona?.greeting ||
              (name ? t("Hello {name}, what would you like to know?", { name }) : t("What would you like to know?"))}
          </h1>
          <p class="muted">
            {persona
              ? persona.description
              : t("Answers use the knowledge that you may read, and cite the passages they come from.")}
          </p>
        </div>
        <Composer value={text} onValue={setText} isRunning={isStarting} onSend={() => start(text)}>
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
