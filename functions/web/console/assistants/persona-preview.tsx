import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { Composer } from "../chat/composer/composer.tsx";
import { Markdown } from "../chat/markdown.tsx";
import { t } from "../lib/i18n.ts";
import { describeError } from "../lib/toast.ts";
import { api } from "../session/session.ts";

interface PreviewMessage {
  readonly isQuestion: boolean;
  readonly text: string;
}

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
  const [messages, setMessages] = useState<readonly PreviewMessage[]>([]);
  const question = useSignal("");
  const [isBusy, setBusy] = useState(false);
  const conversation = useRef<string | null>(null);
  const controller = useRef(new AbortController());
  useEffect(() => {
    const { current } = controller;
    return () => {
      current.abort();
      // Delete the conversation of the trial, so that it does not stay in the list of conversations.
      const id = conversation.current;
      if (id) api.DELETE("/v1/conversations/{id}", { params: { path: { id } } }).catch(() => {});
    };
  }, []);
  const ask = async (content: string) => {
    setBusy(true);
    question.value = "";
    const shown = [...messages, { isQuestion: true, text: content }];
    let answer = "";
    const show = () => setMessages([...shown, { isQuestion: false, text: answer }]);
    show();
    try {
      conversation.current ??= (
        await api.POST("/v1/conversations", {
          body: { title: t("Trial of {name}", { name: draft.name }), persona_id: personaId },
        })
      ).id;
      const request = {
        conversation_id: conversation.current,
        content,
        ...(version !== null && { persona_version: version }),
      };
      for await (const event of api.chat(request, { signal: controller.current.signal })) {
        if (event.type === "assistant_message" && !event.data.final) answer += event.data.content;
        if (event.type === "error") answer += event.data.message;
        show();
      }
    } catch (error) {
      if (controller.current.signal.aborted) return;
      answer += describeError(error);
      show();
    }
    setBusy(false);
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
        {messages.map(({ isQuestion, text: content }, index) =>
          isQuestion ? (
            <div key={index} class="bubble">
              {content}
            </div>
          ) : (
            <div key={index} class="prose small">
              {content ? <Markdown text={content} /> : <span class="muted">…</span>}
            </div>
          ),
        )}
      </div>
      {personaId === null ? (
        <p class="muted small">{t("Create the persona to try it.")}</p>
      ) : (
        <Composer draft={question} isRunning={isBusy} onSend={() => ask(question.peek())} hasFocus={false} />
      )}
    </section>
  );
}
