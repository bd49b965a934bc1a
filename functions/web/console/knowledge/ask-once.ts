import type { Tier } from "../../../../shared/api/tiers.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";

/** Error of a model, whose message is shown as it is. */
export class ModelError extends Error {}

/** Shows what went wrong with a question to a model. */
export const showModelError = (error: unknown) =>
  error instanceof ModelError ? showToast(error.message, true) : showError(error);

interface Request {
  readonly title: string;
  readonly persona_id: string | null;
  readonly content: string;
  readonly tier?: Tier;
}

/**
 * Asks a model in a temporary conversation of the person, which is deleted afterwards. Policy, budgets and usage are those of chats.
 * @param onText called with the answer so far
 * @returns the answer
 * @throws ModelError if the model fails, or if its answer is not complete
 */
export async function askOnce(
  { title, persona_id, content, tier }: Request,
  signal: AbortSignal,
  onText: (text: string) => void = () => {},
): Promise<string> {
  const { id } = await api.POST("/v1/conversations", { body: { title, persona_id, temporary: true } });
  let text = "";
  try {
    for await (const event of api.chat({ conversation_id: id, content, ...(tier && { tier }) }, { signal })) {
      if (event.type === "error") throw new ModelError(t("The model did not answer. Your text is unchanged."));
      if (event.type === "interrupted") throw new ModelError(t("This answer was stopped."));
      if (event.type === "done" && event.data.finish_reason) {
        throw new ModelError(t("This answer reached its maximum length."));
      }
      if (event.type !== "assistant_message" || event.data.final) continue;
      text += event.data.content;
      onText(text);
    }
  } finally {
    api.DELETE("/v1/conversations/{id}", { params: { path: { id } } }).catch(() => {});
  }
  return text;
}
