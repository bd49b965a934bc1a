import { signal } from "@preact/signals";
import type { GateReason } from "../../../../shared/api/personas/persona.ts";
import { isProblem } from "../../../../shared/client/index.ts";
import { describeCode } from "./codes/server-texts.ts";
import { t } from "./i18n.ts";

/** Short message at the bottom of the page. */
interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly action?: { readonly label: string; readonly run: () => void };
}

export const toasts = signal<readonly Toast[]>([]);

let lastId = 0;

function closeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Time in ms within which an action can be undone, before it is executed. */
const UNDO_MS = 7_000;

/**
 * Shows a message with the button "Undo", and calls `work` after seven seconds unless the user clicks it. Otherwise calls
 * `undo`.
 * @param text message that describes the action
 */
export function doUnlessUndone(text: string, work: () => Promise<void>, undo: () => void): void {
  const id = ++lastId;
  const timer = setTimeout(() => {
    closeToast(id);
    void work().catch(showError);
  }, UNDO_MS);
  const action = {
    label: t("Undo"),
    run: () => {
      clearTimeout(timer);
      closeToast(id);
      undo();
    },
  };
  toasts.value = [...toasts.value.slice(-2), { id, text, isError: false, action }];
}

/** Shows a message for a few seconds; errors stay longer. */
export function showToast(text: string, isError = false): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-2), { id, text, isError }];
  setTimeout(() => closeToast(id), isError ? 8_000 : 3_500);
}

/**
 * Translated sentences for the service's messages about invalid values, by pattern. The group of a pattern is the number in
 * the sentence.
 */
const fieldErrors = (): readonly (readonly [RegExp, string])[] => [
  [/^must not be empty$/, t("This must not be empty.")],
  [/^must have at most ([\d,]+) characters$/, t("Use at most {number} characters.")],
  [/^must have at least ([\d,]+) characters$/, t("Use at least {number} characters.")],
  [/^must be at most ([\d,]+)$/, t("The highest value is {number}.")],
  [/^must be at least ([\d,]+)$/, t("The lowest value is {number}.")],
  [/^must be a whole number$/, t("Enter a whole number.")],
  [/^must be a number$/, t("Enter a number.")],
  [/^must be valid JSON$/, t("This is not valid JSON.")],
  [/^must be a JSON object$/, t("Enter a JSON object.")],
];

/** Returns the translated sentence for a message about an invalid value, or the message itself as a sentence. */
export function describeFieldError(message: string): string {
  for (const [pattern, text] of fieldErrors()) {
    const match = pattern.exec(message);
    if (match) return text.replace("{number}", match[1] ?? "");
  }
  return `${message[0]?.toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
}

/** Why the gate of a persona stops a version, and the run that shows it. */
export interface GateStop {
  readonly reason: GateReason;
  readonly run_id: string | null;
}

/** Returns the stop that an error is about; null for other errors. */
export const findGateStop = (error: unknown): GateStop | null =>
  (isProblem(error, "conflict") && (error.problem as { readonly gate?: GateStop }).gate) || null;

const gateStopTexts = (): Readonly<Record<GateReason, string>> => ({
  pending: t("The version is tested first. Publish it again when the run has ended."),
  failed: t("The version does not pass the gate."),
  set_deleted: t("The test set of the gate was deleted."),
  draft_required: t("The persona has a gate, so that changes are saved as a draft first."),
});

/** Returns a translated sentence for an error, which says what the user can do. */
export function describeError(error: unknown): string {
  if (!isProblem(error)) return t("The service cannot be reached. Check your connection and try again.");
  if (error.code === "rate_limited") {
    return t("Too many requests. Try again in {seconds} seconds.", { seconds: error.retryAfterSeconds ?? 30 });
  }
  if (error.code === "precondition_failed") {
    return t("This was changed after you opened it. Reload the page to see the change.");
  }
  if (error.code === "forbidden") return t("Your roles do not allow this.");
  const stop = findGateStop(error);
  if (stop) return gateStopTexts()[stop.reason];
  const fields = (error.problem.errors ?? []).map(({ path, message }) => {
    const text = describeFieldError(message);
    return path ? `${path}: ${text}` : text;
  });
  return fields.length > 0 ? fields.join(" ") : describeCode({ code: error.code, message: error.message });
}

export function showError(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  showToast(describeError(error), true);
}
