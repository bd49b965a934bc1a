import { useState } from "preact/hooks";
import type { Message } from "../../../../shared/api/conversations/messages.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";
import { onDemand } from "../ui/on-demand.tsx";

/** Component that is loaded on demand, because few answers have findings. */
export const Findings = onDemand(() => import("./findings.tsx").then((module) => module.FindingNames));

interface Feedback {
  readonly rating?: "up" | "down";
  readonly wrong_rules?: string[];
}

/** Feedback that the user gave since the page was loaded, by message id. */
const given = new Map<string, Feedback>();

export const feedbackGiven = ({ message_id }: Message): Feedback => given.get(message_id) ?? {};

/** Sends a rating, or a report of wrong guardrail findings. The service keeps fields that are not sent. */
export async function sendFeedback(message: Message, feedback: Feedback, comment?: string | null) {
  const { conversation_id, message_id } = message;
  await api.POST("/v1/feedback", { body: { conversation_id, message_id, ...feedback, comment } });
  given.set(message_id, { ...feedbackGiven(message), ...feedback });
}

export function Rating({ message }: { readonly message: Message }) {
  const [rating, setRating] = useState(feedbackGiven(message).rating ?? null);
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
