import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Tier } from "../../../../shared/api/tiers.ts";
import { putBefore } from "../lib/drafts.ts";
import { t } from "../lib/i18n.ts";
import { IconButton } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { QuestionComposer } from "./composer/question-composer.tsx";
import { type ConversationDetails, changePersona } from "./conversation-details.ts";
import { type LiveReply, replyHead, stop } from "./run.ts";
import { ModelMenu, PersonaMenu, TierMenu } from "./selectors.tsx";
import { type Scroll, scrollToEnd } from "./transcript/scroll.ts";

/** Field for the next question of a conversation, with the question that waits until an answer has ended. */
export function ConversationFoot({
  id,
  details,
  hasFailed,
  draft,
  tier,
  onTier,
  model,
  onModel,
  scroll,
  onAsk,
  onFiles,
}: {
  readonly id: string;
  /** Null while the conversation is loaded. */
  readonly details: ConversationDetails | null;
  /** True if the conversation cannot be loaded. */
  readonly hasFailed: boolean;
  readonly draft: Signal<string>;
  readonly tier: Tier;
  readonly onTier: (tier: Tier) => void;
  readonly model: string | null;
  readonly onModel: (model: string | null) => void;
  readonly scroll: Scroll;
  /** Asks a question, with the files and documents of the field unless it was queued. */
  readonly onAsk: (content: string, isQueued?: boolean) => void;
  readonly onFiles: (files: readonly File[]) => void;
}) {
  const canWrite = details !== null && details.access !== "READ";
  const isRunning = replyHead(id).value?.state === "running";
  const [queued, setQueued] = useQueue(id, draft, canWrite, onAsk);
  const submit = () => {
    const content = draft.peek();
    draft.value = "";
    if (isRunning) setQueued([queued, content].filter(Boolean).join("\n\n"));
    else onAsk(content);
  };
  const setAwaited = useAwaited(details !== null || hasFailed, () => {
    if (canWrite && draft.peek().trim()) submit();
  });
  const isOwner = details?.access === "owner";
  const setPersona = (persona: string | null) => void changePersona(id, persona);
  return (
    <div class="conversation-foot">
      {scroll.isAway.value && (
        <button type="button" class="button small to-end" onClick={() => scrollToEnd(scroll)}>
          <Icon name="down" />
          {t("To the end")}
        </button>
      )}
      {queued !== null && (
        <div class="queued" role="status">
          <Icon name="clock" />
          <span class="truncate grow">{t("Next: {question}", { question: queued })}</span>
          <IconButton
            icon="edit"
            label={t("Edit the question")}
            onClick={() => {
              setQueued(null);
              putBefore(draft, queued);
            }}
          />
          <IconButton icon="close" label={t("Do not send it")} onClick={() => setQueued(null)} />
        </div>
      )}
      <QuestionComposer
        draft={draft}
        isRunning={isRunning}
        canQueue
        setPersona={isOwner ? setPersona : null}
        isDisabled={details !== null && !canWrite}
        onStop={() => void stop(id)}
        onSend={() => (details === null ? setAwaited() : submit())}
        filesOf={id}
        onFiles={onFiles}
      >
        {isOwner && <PersonaMenu value={details.persona_id} onValue={setPersona} />}
        {details && <TierMenu value={tier} onValue={onTier} />}
        {details && <ModelMenu value={model} personaId={details.persona_id} onValue={onModel} />}
      </QuestionComposer>
      <p class="composer-hint">{t("Answers can be wrong. Check the sources.")}</p>
    </div>
  );
}

/** Returns the question that is asked when the answer that is being written has ended, and a function that changes it. */
function useQueue(
  id: string,
  draft: Signal<string>,
  canWrite: boolean,
  onAsk: (content: string, isQueued: boolean) => void,
): [queued: string | null, setQueued: (question: string | null) => void] {
  const head = replyHead(id).value;
  const [queued, setQueued] = useState<string | null>(null);
  const lastState = useRef<LiveReply["state"] | null>(null);
  useEffect(() => {
    if (head) lastState.current = head.state;
    if (queued === null || head?.state === "running" || head?.state === "done") return;
    setQueued(null);
    // The files that were added since belong to the next question.
    if (lastState.current === "done" && canWrite) onAsk(queued, true);
    // The question may rest on the answer that failed or was stopped.
    else putBefore(draft, queued);
  }, [head, queued]);
  return [queued, setQueued];
}

/** Returns a function that requests an action as soon as something is ready. */
function useAwaited(isReady: boolean, action: () => void): () => void {
  const [isAwaited, setAwaited] = useState(false);
  useEffect(() => {
    if (!isAwaited || !isReady) return;
    setAwaited(false);
    action();
  }, [isAwaited, isReady]);
  return () => setAwaited(true);
}
