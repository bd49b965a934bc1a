import { effect, signal } from "@preact/signals";
import { language, t } from "../i18n.ts";

/** Returns the translated title of a step of an answer, or of a tool. */
export function describeStep(title: string): string {
  const texts: Readonly<Record<string, string>> = {
    "Searching the knowledge base": t("Searching the knowledge base"),
    "Searching the attached files": t("Searching the attached files"),
    "Reading the named documents": t("Reading the named documents"),
    "Reading the incident": t("Reading the incident"),
    "Runbook found": t("Runbook found"),
    "Searching the conversation": t("Searching the conversation"),
    "Searching the web": t("Searching the web"),
    "Reading a web page": t("Reading a web page"),
    "Ask a persona": t("Ask a persona"),
    "Read the rest of a result": t("Read the rest of a result"),
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

/** Returns the translated state of a tool call, and its duration if it has ended. */
export function describeToolCall(status: string, durationMs: number | null): string {
  const texts: Readonly<Record<string, string>> = {
    running: t("is running"),
    done: t("succeeded"),
    failed: t("failed"),
    unknown: t("no response arrived, and it may have taken effect"),
    declined: t("was not allowed"),
  };
  const text = texts[status] ?? status;
  return durationMs === null ? text : `${text}, ${(durationMs / 1_000).toFixed(1)} s`;
}

/** Translated sentences by code, once they are loaded. Empty in English, which uses the service's own messages. */
const codeTexts = signal<() => Readonly<Record<string, string>>>(() => ({}));

/** Loads the translated sentences. */
export async function loadCodeTexts(): Promise<void> {
  const loaded = await import("./code-texts.ts");
  codeTexts.value = loaded.codeTexts;
}

effect(() => {
  if (language.value !== "en") void loadCodeTexts().catch(() => {});
});

/**
 * Returns the sentence for an error or warning. In English, and for a code without a translation, this is the service's own
 * message, which can contain more details.
 */
export const describeCode = ({ code, message }: { readonly code: string; readonly message: string }): string =>
  language.value === "en" ? message : (codeTexts.value()[code] ?? message);

/** States of an alert or incident. */
export const stateTexts = () => ({ open: t("open"), acknowledged: t("acknowledged"), resolved: t("resolved") });

export const severityTexts = () => ({
  low: t("low"),
  medium: t("medium"),
  high: t("high"),
  critical: t("critical"),
});

/** Kinds of badges for severities. */
export const severityKinds = { low: "", medium: "accent", high: "warning", critical: "danger" } as const;
