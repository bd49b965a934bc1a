import { useState } from "preact/hooks";
import type { Message } from "../../../../shared/api/conversations/messages.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { onDemand } from "../ui/on-demand.tsx";

/** Component that is loaded on demand, because few answers have findings. */
export const Findings = onDemand(() => import("./findings.tsx").then((module) => module.FindingNames));

interface Feedback {
  readonly rating?: "up" | "down";
  readonly wrong_rules?: string[];
}

/** Feedback that the user gave since the page was loaded, by message id. */
const given = new Map<string, Feedback>();

const getFeedback = ({ message_id }: Message): Feedback => given.get(message_id) ?? {};

/** Sends a rating, or a report of wrong guardrail findings. The service keeps fields that are not sent. */
async function sendFeedback(message: Message, feedback: Feedback, comment?: string | null) {
  const { conversation_id, message_id } = message;
  await api.POST("/v1/feedback", { body: { conversation_id, message_id, ...feedback, comment } });
  given.set(message_id, { ...getFeedback(message), ...feedback });
}

export function Rating({ message }: { readonly message: Message }) {
  const [rating, setRating] = useState(getFeedback(message).rating ?? null);
  const [comment, setComment] = useState<string | null>(null);
  const send = async (next: "up" | "down", text: string | null = null) => {
    await sendFeedback(message, { rating: next }, text);
    setRating(next);
  };
  const rate = (next: "up" | "down") => send(next).catch(showError);
  return (
    <>
      <IconButton icon="up" label={t("Good answer")} aria-pressed={rating === "up"} onClick={() => rate("up")} />
      <IconButton
        icon="thumbDown"
        label={t("Bad answer")}
        aria-pressed={rating === "down"}
        onClick={async () => {
          await rate("down");
          setComment("");
        }}
      />
      {comment !== null && (
        <Dialog title={t("What was wrong?")} onClose={() => setComment(null)}>
          <Form
            onSubmit={async () => {
              await send("down", comment || null);
              setComment(null);
              showToast(t("Thank you for your feedback."));
            }}
          >
            <TextField
              label={t("Comment (optional)")}
              name="comment"
              rows={3}
              value={comment}
              onValue={setComment}
              autoFocus
            />
            <FormActions>
              <Button onClick={() => setComment(null)}>{t("Skip")}</Button>
              <Button kind="primary" type="submit">
                {t("Send")}
              </Button>
            </FormActions>
          </Form>
        </Dialog>
      )}
    </>
  );
}

type Check = NonNullable<Message["checks"]>[number];

const stageTexts = (): Record<Check["stage"], string> => ({
  input: t("The check of the question found something."),
  retrieval: t("The check of the sources found something."),
  output: t("The check of the answer found something."),
});

const actionTexts = (): Record<Check["action"], string> => ({
  allow: t("Nothing was changed."),
  redact: t("It was removed."),
  block: t("It was blocked."),
});

/** Guardrail checks of an answer, each with a button to report its finding as wrong. */
export function Checks({ message }: { readonly message: Message }) {
  const [reported, setReported] = useState<readonly string[]>(getFeedback(message).wrong_rules ?? []);
  const report = async (names: readonly string[]) => {
    const wrong_rules = [...new Set([...reported, ...names])];
    await sendFeedback(message, { wrong_rules });
    setReported(wrong_rules);
    showToast(t("Thank you. Administrators see the report."));
  };
  return (
    <>
      {message.checks?.map((check) => {
        const names = check.rules.length > 0 ? check.rules : check.categories;
        return (
          <p key={check.stage} class="row wrap muted small">
            <Icon name="shield" />
            <span>
              {stageTexts()[check.stage]} {actionTexts()[check.action]} (
              <Findings names={check.removed ?? names} />)
            </span>
            {names.every((name) => reported.includes(name)) ? (
              <span>{t("Reported as wrong")}</span>
            ) : (
              <button type="button" class="link" onClick={() => report(names).catch(showError)}>
                {t("This is wrong")}
              </button>
            )}
          </p>
        );
      })}
    </>
  );
}
