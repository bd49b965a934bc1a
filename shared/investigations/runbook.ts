import type { NextStep } from "../api/investigations/investigations.ts";
import type { AlertMatch } from "../api/webhooks/investigate.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { findDocumentText } from "../knowledge/document-source-store.ts";
import { findDocuments } from "../knowledge/document-store.ts";
import type { KnowledgeReader } from "../knowledge/knowledge-access.ts";
import { searchKnowledge } from "../knowledge/search/search-knowledge.ts";
import { truncate } from "../lib/truncate.ts";
import { type AlertFacts, matchesAlert } from "../webhooks/alert-facts.ts";
import type { StoredRunbook } from "./record-store.ts";

/** Number of search hits whose documents can be the runbook. */
const MAX_HITS = 12;

/** Maximum number of documents whose text is read to find a `match`. */
const MAX_DOCUMENTS = 6;

/** Longer runbooks are truncated, so that they leave room for observations in the prompt. */
const MAX_RUNBOOK_CHARACTERS = 16_000;

const unquote = (value: string) => value.trim().replace(/^(["'])(.*)\1$/, "$2");

/**
 * Returns the condition `match:` in the YAML front matter of a document, with `service`, `alert` (or `title`) and
 * `labels`; null without one. Understands only nested keys with scalar values.
 */
export function readMatch(text: string): AlertMatch | null {
  const [, frontMatter] = /^\uFEFF?---[ \t]*\r?\n([\s\S]{0,4000}?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (frontMatter === undefined) return null;
  const fields = new Map<string, string>();
  let path: { readonly indent: number; readonly name: string }[] = [];
  for (const line of frontMatter.split(/\r?\n/)) {
    const [, space = "", name, value = ""] = /^( *)([\w.-]{1,100}):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    if (name === undefined) continue;
    path = [...path.filter(({ indent }) => indent < space.length), { indent: space.length, name }];
    if (value.trim()) fields.set(path.map((part) => part.name).join("."), unquote(value.replace(/[ \t]#.*/, "")));
  }
  return toMatch((name) => fields.get(`match.${name}`), fields, "match.labels.");
}

/**
 * Returns the condition in the metadata of a document, from `match.service`, `match.alert` (or `match.title`) and
 * `match.labels.<name>`; null without one.
 */
export const readMetadataMatch = (metadata: Readonly<Record<string, string>>): AlertMatch | null =>
  toMatch((name) => metadata[`match.${name}`], new Map(Object.entries(metadata)), "match.labels.");

function toMatch(
  get: (name: string) => string | undefined,
  fields: ReadonlyMap<string, string>,
  labelPrefix: string,
): AlertMatch | null {
  const [service, title] = [get("service"), get("alert") ?? get("title")];
  const labels = Object.fromEntries(
    [...fields].flatMap(([name, value]) =>
      name.startsWith(labelPrefix) ? [[name.slice(labelPrefix.length), value]] : [],
    ),
  );
  const match = {
    ...(service !== undefined && { service }),
    ...(title !== undefined && { title }),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
  return Object.keys(match).length > 0 ? match : null;
}

/** Returns the number of patterns in a condition. Of several matching runbooks, the one with the most applies. */
const countParts = ({ service, title, labels }: AlertMatch) =>
  Number(service !== undefined) + Number(title !== undefined) + Object.keys(labels ?? {}).length;

const withoutFrontMatter = (text: string) =>
  text.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]{0,4000}?\r?\n---[ \t]*\r?\n/, "");

/**
 * Returns the runbook for an alert among the documents that a search for its service and title finds. A document whose
 * `match` applies takes precedence; otherwise the best hit without a `match` is used if its relevance is at least 0.5.
 * Null if there is none.
 */
export async function findRunbook(
  reader: KnowledgeReader & TenantScope,
  collectionIds: readonly string[] | undefined,
  facts: AlertFacts,
): Promise<StoredRunbook | null> {
  const text = [facts.service, facts.title, facts.labels.alert, "runbook"].filter(Boolean).join(" ");
  const query = { text: truncate(text, 500), collectionIds, limit: MAX_HITS };
  const hits = await searchKnowledge(reader, { ...query, minRelevance: 0 });
  const ids = [...new Map(hits.map((hit) => [hit.document_id, hit])).values()].slice(0, MAX_DOCUMENTS);
  const documents = await findDocuments(
    reader,
    ids.map(({ document_id, collection_id }) => ({ id: document_id, collection_id })),
  );
  const candidates = await Promise.all(
    ids.flatMap((hit) => {
      const document = documents.find(({ id }) => id === hit.document_id);
      if (!document) return [];
      return [
        findDocumentText(reader, document, document.indexed_version ?? document.version).then((full) => ({
          hit,
          full,
        })),
      ];
    }),
  );
  const matched = candidates
    .flatMap(({ hit, full }) => {
      const match = readMetadataMatch(hit.metadata) ?? readMatch(full ?? "");
      return { hit, full: full ?? "", match };
    })
    .filter(({ full }) => full !== "");
  const [best] = matched
    .filter(({ match }) => match !== null && matchesAlert(facts, match))
    .sort((a, b) => countParts(b.match as AlertMatch) - countParts(a.match as AlertMatch));
  const found = best ?? matched.find(({ match, hit }) => match === null && hit.relevance >= 0.5);
  if (!found) return null;
  return {
    document_id: found.hit.document_id,
    title: found.hit.title,
    matched_by: best ? "match" : "search",
    text: truncate(withoutFrontMatter(found.full).trim(), MAX_RUNBOOK_CHARACTERS),
  };
}

const MAX_STEPS = 12;

/**
 * Returns the list items of a runbook as steps, with the command or link that they contain. A code block after an item
 * is its command.
 */
export function toRunbookSteps(text: string, observation: string): NextStep[] {
  const steps: NextStep[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      isCode = !isCode;
      continue;
    }
    const last = steps.at(-1);
    // The block of code after a step is its command.
    if (isCode) {
      if (last && last.command === null && line.trim())
        steps[steps.length - 1] = { ...last, command: truncate(line.trim(), 500) };
      continue;
    }
    const [, item] = /^\s{0,3}(?:\d{1,3}[.)]|[-*+])\s+(.{1,2000})$/.exec(line) ?? [];
    if (item === undefined || steps.length >= MAX_STEPS) continue;
    const [, command = null] = /`([^`\n]{3,500})`/.exec(item) ?? [];
    const [url] = /https?:\/\/[^\s)>\]]{1,1000}/.exec(item) ?? [];
    const link = url?.replace(/[.,;:!?]$/, "") ?? null;
    steps.push({ text: truncate(item.trim(), 500), command, link, observation });
  }
  return steps;
}
