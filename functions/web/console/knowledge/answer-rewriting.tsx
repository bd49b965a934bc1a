import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { showToast } from "../lib/toast.ts";
import { Button } from "../ui/buttons.tsx";
import { showModelError } from "./ask-once.ts";
import { type QuestionAndAnswer, type Rewriting, rewriteAnswer } from "./rewrite-answer.ts";

interface RewritingProps {
  /** Returns what the form has now. */
  readonly read: () => QuestionAndAnswer;
  /** Conversation in which the facts of the rewriting must occur. */
  readonly conversation: string;
  /** Called with the text that the reviewer chose. */
  readonly onChoose: (chosen: QuestionAndAnswer) => void;
}

function Findings({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <div class="notice warning">
      <div>
        <strong>{title}</strong>
        <ul>
          {sentences.map((sentence) => (
            <li key={sentence} dir="auto">
              {sentence}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function Version({ title, text, onChoose }: { title: string; text: QuestionAndAnswer; onChoose: () => void }) {
  return (
    <section class="card result" aria-label={title}>
      <h3>{title}</h3>
      <strong dir="auto">{text.question}</strong>
      <p dir="auto">{text.answer}</p>
      <div class="row">
        <Button isSmall type="button" onClick={onChoose}>
          {t("Use this text")}
        </Button>
      </div>
    </section>
  );
}

/** Rewriting of an answer by the model on demand, next to the original. The reviewer chooses one; nothing is stored before. */
export function AnswerRewriting({ read, conversation, onChoose }: RewritingProps) {
  const [isBusy, setBusy] = useState(false);
  const [versions, setVersions] = useState<{ original: QuestionAndAnswer; rewriting: Rewriting } | null>(null);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const rewrite = async () => {
    const original = read();
    setBusy(true);
    try {
      const rewriting = await rewriteAnswer(original, conversation, abort.current.signal);
      setVersions({ original, rewriting });
    } catch (error) {
      if (!abort.current.signal.aborted) showModelError(error);
    }
    setBusy(false);
  };
  return (
    <div class="stack">
      <div class="row">
        <Button
          type="button"
          icon="sparkle"
          disabled={isBusy}
          onClick={() => {
            if (read().answer.trim() !== "") return rewrite();
            showToast(t("Write an answer first."), true);
          }}
        >
          {t("Rewrite with the model")}
        </Button>
      </div>
      {versions && (
        <>
          <Findings title={t("Not in the conversation. Check these sentences:")} sentences={versions.rewriting.added} />
          <Findings title={t("Facts of these sentences are missing:")} sentences={versions.rewriting.missing} />
          <Version title={t("Original")} text={versions.original} onChoose={() => onChoose(versions.original)} />
          <Version title={t("Rewriting")} text={versions.rewriting} onChoose={() => onChoose(versions.rewriting)} />
        </>
      )}
    </div>
  );
}
