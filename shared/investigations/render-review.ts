import type { InvestigationResult } from "../api/investigations/investigations.ts";
import { blocksToMarkdown } from "../conversations/markdown-blocks.ts";
import { listReplies, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { truncate } from "../lib/truncate.ts";
import { listLatestInvestigations, type StoredInvestigation } from "./investigation-store.ts";

/**
 * Maximum numbers of messages of the thread that are read, of investigations that are searched, and of similar ones
 * that are listed.
 */
const [MAX_MESSAGES, MAX_SEARCHED, MAX_SIMILAR] = [100, 100, 5];
const MAX_MESSAGE_CHARACTERS = 300;

/** Draft of a post-incident review in Markdown, with the ids of similar investigations. */
interface Review {
  readonly title: string;
  readonly text: string;
  readonly similar: readonly string[];
}

const toLine = (text: string, maxCharacters = MAX_MESSAGE_CHARACTERS) =>
  truncate(text.replace(/\s+/g, " ").trim(), maxCharacters);

const section = (title: string, lines: readonly string[], empty: string) =>
  `## ${title}\n\n${lines.length > 0 ? lines.map((line) => `- ${line}`).join("\n") : empty}`;

function toDuration(from: string, until: string): string {
  const minutes = Math.round((Date.parse(until) - Date.parse(from)) / 60_000);
  return minutes >= 120 ? `${Math.round(minutes / 60)} hours` : `${minutes} minutes`;
}

function renderImpact({ severity, service, created_at, resolved_at }: StoredInvestigation, alerts: number): string[] {
  const end = resolved_at ? `${toDuration(created_at, resolved_at)}, until ${resolved_at}` : "not resolved yet";
  return [`Service: ${service ?? "unknown"}`, `Severity: ${severity}`, `Duration: ${end}`, `Alerts: ${alerts}`];
}

/** Returns the messages that people wrote in the thread, each with time and author. */
function renderNotes(messages: readonly StoredMessage[]): string[] {
  return messages.flatMap(({ role, author_id, created_at, content, investigation_id }) =>
    role === "user" && investigation_id === undefined
      ? [`${created_at} ${author_id ?? "unknown"}: ${toLine(blocksToMarkdown(content))}`]
      : [],
  );
}

/** Returns other investigations of the same incident, then of the same service, in the same conversation. */
async function findSimilar(scope: TenantScope, current: StoredInvestigation): Promise<StoredInvestigation[]> {
  const others = (await listLatestInvestigations(scope, MAX_SEARCHED)).filter(
    ({ id, conversation_id }) => id !== current.id && conversation_id === current.conversation_id,
  );
  const same = others.filter(({ incident_hash }) => incident_hash === current.incident_hash);
  const related = others.filter((other) => !same.includes(other) && other.service && other.service === current.service);
  return [...same, ...related].slice(0, MAX_SIMILAR);
}

/** Renders the draft of a post-incident review from an investigation and its thread. No model is called. */
export async function renderReview(
  scope: TenantScope,
  investigation: StoredInvestigation,
  result: InvestigationResult,
): Promise<Review> {
  const [{ entries: messages }, similar] = await Promise.all([
    listReplies(scope, investigation.alert_id, { limit: MAX_MESSAGES }),
    findSimilar(scope, investigation),
  ]);
  const title = `Review: ${investigation.title ?? "incident"} (${investigation.created_at.slice(0, 10)})`;
  const alerts = 1 + messages.filter(({ role }) => role === "alert").length;
  const supported = result.hypotheses.filter(({ outcome }) => outcome === "supported");
  const refuted = result.hypotheses.filter(({ outcome }) => outcome === "refuted");
  const text = [
    `# ${title}`,
    section("Impact", renderImpact(investigation, alerts), ""),
    section(
      "Timeline",
      result.timeline.map(({ at, text: entry }) => `${at} ${toLine(entry)}`),
      "No entries.",
    ),
    section(
      "Cause",
      result.cause ? [`${toLine(result.cause, 500)} (${result.verdict})`] : [],
      "No cause is proven. Add it here.",
    ),
    section(
      "What worked",
      [
        ...supported.map(({ test, claim }) => `${toLine(test)} This supports: ${toLine(claim)}`),
        ...refuted.map(({ test, claim }) => `${toLine(test)} This refutes: ${toLine(claim)}`),
      ],
      "Nothing was tested.",
    ),
    section("Notes of the thread", renderNotes(messages), "None."),
    section(
      "Actions",
      result.next_steps.map(({ text: step }) => `[ ] ${toLine(step, 500)}`),
      "Add actions here.",
    ),
    section(
      "Similar incidents",
      similar.map(
        ({ title: name, created_at, cause }) => `${created_at} ${name ?? "incident"}${cause ? `: ${cause}` : ""}`,
      ),
      "None.",
    ),
  ].join("\n\n");
  return { title, text, similar: similar.map(({ id }) => id) };
}
