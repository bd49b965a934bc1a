import { language, t } from "./i18n.ts";

/** Returns the translated title of a step of an answer, or of a tool. */
export function describeStep(title: string): string {
  const texts: Readonly<Record<string, string>> = {
    "Searching the knowledge base": t("Searching the knowledge base"),
    Reasoning: t("Reasoning"),
    Calculating: t("Calculating"),
    "Writing a note": t("Writing a note"),
    "Reading notes": t("Reading notes"),
    "Checking the time": t("Checking the time"),
    "Proposing a memory": t("Proposing a memory"),
    "Searching memories": t("Searching memories"),
  };
  return texts[title] ?? title;
}

/** Returns the state of a call of a tool, with its time if it ended. */
export function describeToolCall(status: string, durationMs: number | null): string {
  const texts: Readonly<Record<string, string>> = {
    running: t("is running"),
    done: t("succeeded"),
    failed: t("failed"),
    unknown: t("no response arrived, and it may have taken effect"),
  };
  const text = texts[status] ?? status;
  return durationMs === null ? text : `${text}, ${(durationMs / 1_000).toFixed(1)} s`;
}

/**
 * Returns the sentence for an error or a warning of the service. The service's own message, which can tell more, is English
 * and shown in the English console and for codes without a translation.
 */
export function describeCode({ code, message }: { readonly code: string; readonly message: string }): string {
  if (language.value === "en") return message;
  const texts: Readonly<Record<string, string>> = {
    knowledge_unavailable: t("The knowledge base could not be searched for this answer."),
    knowledge_words_only: t(
      "The knowledge base was searched by words only, because the search by meaning is not available.",
    ),
    knowledge_not_reranked: t("The search results were not ranked again, because the reranking is not available."),
    history_trimmed: t("Only the latest part of the conversation is used as context."),
    model_fallback: t("The usual model is not available. Another one answers."),
    model_error: t(
      "The language model refused the request or returned an error. Try again, or shorten the conversation.",
    ),
    model_overloaded: t("The language model is overloaded. Try again in a moment."),
    context_length_exceeded: t("The conversation is too long for the language model. Start a new one."),
    internal_error: t("An unexpected error occurred. Try again."),
    unavailable: t("A part of the service is not available at the moment. Try again soon."),
    timeout: t("This took too long. Try again."),
    not_found: t("This does not exist, or it is not shared with you."),
    conflict: t("This is not possible in the current state, for example because the name is taken."),
    gone: t("This no longer exists."),
    payload_too_large: t("This is too large."),
    unauthorized: t("Your session has ended. Sign in again."),
  };
  return texts[code] ?? message;
}
