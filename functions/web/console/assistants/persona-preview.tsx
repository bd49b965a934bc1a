import { useSignal } from "@preact/signals";
import { Composer } from "../chat/composer/composer.tsx";
import { t } from "../lib/i18n.ts";
import { TrialMessages, usePersonaTrial } from "./persona-trial.tsx";

/** Trial of a persona: its greeting and suggestions as edited, and a chat with a saved version. */
export function PersonaPreview({
  draft,
  personaId,
  version,
}: {
  readonly draft: { readonly name: string; readonly greeting: string; readonly starter_prompts: readonly string[] };
  readonly personaId: string | null;
  /** Version that answers; null for the one that the user gets. */
  readonly version: number | null;
}) {
  const question = useSignal("");
  const { messages, isBusy, ...trial } = usePersonaTrial({ personaId, name: draft.name, version });
  const ask = (content: string) => {
    question.value = "";
    void trial.ask(content);
  };
  return (
    <section class="stack tight sticky" aria-label={t("Preview")}>
      <h2 class="small muted">
        {version === null ? t("Preview") : t("Preview of version {number}", { number: version })}
      </h2>
      <div class="preview">
        <div class="row">
          <span class="avatar" aria-hidden="true">
            {(draft.name || "?").slice(0, 2)}
          </span>
          <strong>{draft.name || t("Name")}</strong>
        </div>
        {draft.greeting && <p>{draft.greeting}</p>}
        {messages.length === 0 && (
          <div class="prompts">
            {draft.starter_prompts
              .filter((prompt) => prompt.trim())
              .map((prompt) => (
                <button
                  key={prompt}
                  type="button"
                  class="prompt"
                  disabled={personaId === null || isBusy}
                  onClick={() => ask(prompt)}
                >
                  {prompt}
                </button>
              ))}
          </div>
        )}
        <TrialMessages messages={messages} />
      </div>
      {personaId === null ? (
        <p class="muted small">{t("Create the persona to try it.")}</p>
      ) : (
        <Composer draft={question} isRunning={isBusy} onSend={() => ask(question.peek())} hasFocus={false} />
      )}
    </section>
  );
}
