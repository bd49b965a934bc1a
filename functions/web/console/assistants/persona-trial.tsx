import { useEffect, useRef, useState } from "preact/hooks";
import { Markdown } from "../chat/markdown.tsx";
import { t } from "../lib/i18n.ts";
import { describeError } from "../lib/toast.ts";
import { api } from "../session/session.ts";

interface TrialMessage {
  readonly isQuestion: boolean;
  readonly text: string;
}

/** Chat with a saved version of a persona, in a conversation that is deleted with the view. */
export function usePersonaTrial({
  personaId,
  name,
  version,
}: {
  readonly personaId: string | null;
  readonly name: string;
  /** Version that answers; null for the one that the user gets. */
  readonly version: number | null;
}) {
  const [messages, setMessages] = useState<readonly TrialMessage[]>([]);
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
    const shown = [...messages, { isQuestion: true, text: content }];
    let answer = "";
    const show = () => setMessages([...shown, { isQuestion: false, text: answer }]);
    show();
    try {
      conversation.current ??= (
        await api.POST("/v1/conversations", { body: { title: t("Trial of {name}", { name }), persona_id: personaId } })
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
  return { messages, isBusy, ask };
}

/** Questions and answers of a trial. */
export const TrialMessages = ({ messages }: { readonly messages: readonly TrialMessage[] }) => (
  <>
    {messages.map(({ isQuestion, text }, index) =>
      isQuestion ? (
        <div key={index} class="bubble">
          {text}
        </div>
      ) : (
        <div key={index} class="prose small">
          {text ? <Markdown text={text} /> : <span class="muted">…</span>}
        </div>
      ),
    )}
  </>
);
