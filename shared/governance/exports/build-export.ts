import { authorizeConversation } from "../../conversations/authorize-conversation.ts";
import type { Page } from "../../dynamodb/pagination.ts";
import type { Key } from "../../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../../dynamodb/table-layout.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { type OwnedResource, ownedResources } from "../owned-resources.ts";
import { firstPart, type PartState, placeFiles } from "./archive-parts.ts";
import { appendText, type ExportPart, failExport, findExport, type StoredExport } from "./export-store.ts";
import { type ExportRecord, exportedContents } from "./exported-contents.ts";
import { renderTranscriptPart, type TextPart } from "./render-transcript.ts";
import { type ExportJob, scheduleExport } from "./schedule-export.ts";

/** Time after which a job stops and enqueues a message that continues it. */
const MAX_JOB_DURATION_MS = 30_000;

/**
 * Builds an export part by part. Each part and the position of the next one are stored in one transaction, so that the
 * job can be interrupted at any time. If two jobs build the same export, one of them stops.
 */
export async function buildExport(job: ExportJob): Promise<void> {
  const startedAtMs = now();
  // The export may have been erased or have expired before the job started.
  let current: StoredExport | null | undefined = await findExport(job, job.id);
  while (current?.status === "pending") {
    if (now() - startedAtMs > MAX_JOB_DURATION_MS) return scheduleExport(job);
    current = await buildPart(job, current);
  }
}

async function buildPart(owner: UserScope, current: StoredExport): Promise<StoredExport | null> {
  try {
    const part =
      current.kind === "archive" ? await buildArchivePart(owner, current) : await buildConversationPart(owner, current);
    return await appendText(owner, current, part);
  } catch (error) {
    // The conversation may have been deleted or unshared since the request.
    if (!(error instanceof ServiceError)) throw error;
    await failExport(owner, current);
    return null;
  }
}

async function buildConversationPart(
  owner: UserScope,
  { conversation_id, format, position, created_at }: StoredExport,
): Promise<TextPart> {
  const conversation = await authorizeConversation(owner, String(conversation_id), "READ");
  const transcriptFormat = format === "markdown" ? "markdown" : "json";
  return renderTranscriptPart(owner, conversation, transcriptFormat, created_at, position ?? undefined);
}

/** Position in the lists of owned resources: index of a list, and cursor of its next page. */
interface ListPosition {
  readonly list: number;
  readonly cursor?: string;
}

/** Position in the contents of one resource, such as the messages of a conversation. */
interface ContentsPosition {
  /** Index of the list of owned resources that contains the resource. */
  readonly list: number;
  readonly key: Key;
  readonly cursor: string;
}

/**
 * State of an archive job. It continues with the remaining contents of a resource if there are any, otherwise with the
 * lists.
 */
interface ArchiveState {
  readonly contents?: ContentsPosition | undefined;
  readonly lists: ListPosition;
  /** ZIP file to which the next file is added. */
  readonly files: PartState;
}

/** Parses the stored state of an archive job; the initial state for null. */
function parseState(position: string | null): ArchiveState {
  if (position === null) return { lists: { list: 0 }, files: firstPart };
  type Stored = ListPosition & { within?: ContentsPosition; files?: PartState };
  const { within, files = firstPart, ...lists } = JSON.parse(position) as Stored;
  return { contents: within, lists, files };
}

const serializeState = ({ contents, lists, files }: ArchiveState): string =>
  JSON.stringify({ ...lists, within: contents, files });

/** Records to append to an archive, and the state after them. */
interface ArchivePart {
  readonly records: readonly ExportRecord[];
  readonly next: Omit<ArchiveState, "files">;
}

const toLine = (record: ExportRecord) => `${JSON.stringify(record)}\n`;

async function buildArchivePart(owner: UserScope, { position, created_at }: StoredExport): Promise<ExportPart> {
  const { contents, lists, files } = parseState(position);
  if (lists.list >= ownedResources.length && !contents) return { text: "", next: null, zip_parts: files.part };
  const { records, next } = await (contents ? readContents(owner, contents, lists) : readList(owner, lists));
  const placed = placeFiles(records, files);
  const header = { format: "switchboard.archive", version: 1, user_id: owner.userId, exported_at: created_at };
  const lines = [...(position === null ? [{ kind: "archive", data: header }] : []), ...placed.records];
  return { text: lines.map(toLine).join(""), next: serializeState({ ...next, files: placed.state }) };
}

/** Returns a page of a list. A resource with contents is a page of its own, with the first page of its contents. */
async function readList(owner: UserScope, { list, cursor }: ListPosition): Promise<ArchivePart> {
  const resource = ownedResources[list] as OwnedResource;
  const listContents = exportedContents.get(resource.kind);
  const limit = listContents ? 1 : SWEEP_BATCH_SIZE;
  const { entries, next } = await resource.list(owner, { limit, ...(cursor && { cursor }) });
  const records = entries.map((item) => ({ kind: resource.kind, data: resource.toData(item) }));
  const lists = next === null ? { list: list + 1 } : { list, cursor: next };
  const [item] = entries;
  if (!listContents || !item) return { records, next: { lists } };
  const { pk, sk } = item;
  const contents = await listContents(owner, item, undefined);
  const part = toContentsPart(contents, { list, key: { pk, sk } }, lists);
  return { ...part, records: [...records, ...part.records] };
}

/** Returns the next page of the contents of a resource; empty if the resource was deleted in the meantime. */
async function readContents(
  owner: UserScope,
  { list, key, cursor }: ContentsPosition,
  lists: ListPosition,
): Promise<ArchivePart> {
  const item = await tenantTable(owner).get(key, { consistent: true });
  const { kind } = ownedResources[list] as OwnedResource;
  const page = item && (await exportedContents.get(kind)?.(owner, item, cursor));
  return page ? toContentsPart(page, { list, key }, lists) : { records: [], next: { lists } };
}

/**
 * Converts a page of contents to a part. Its state points to the next page of the contents, or to the lists after the
 * last page.
 */
function toContentsPart(
  { entries, next }: Page<ExportRecord>,
  location: Pick<ContentsPosition, "list" | "key">,
  lists: ListPosition,
): ArchivePart {
  const contents = next === null ? undefined : { ...location, cursor: next };
  return { records: entries, next: { contents, lists } };
}
