import * as v from "valibot";
import { authorizeConversation } from "../../conversations/authorize-conversation.ts";
import type { Page } from "../../dynamodb/pagination.ts";
import type { Key } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { type Belonging, type Possession, possessions } from "../owned-resources.ts";
import { type TextPart, transcriptPart } from "./export-conversation.ts";
import { appendText, failExport, findExport, type StoredExport } from "./export-store.ts";
import { type ExportJob, scheduleExport } from "./schedule-export.ts";

/** How long one go may take, in milliseconds; what is left over is for another one. */
const oneGo = 30_000;

/**
 * Puts an export together, part by part. Each part is stored together with where the next one begins, so it can be
 * interrupted anywhere, and of two that do it at the same time one stops.
 */
export async function buildExport(job: ExportJob): Promise<void> {
  const startedAt = now();
  // It may have been deleted with all that is its owner's, or be over, before its turn came.
  let current: StoredExport | null | undefined = await findExport(job, job.id);
  while (current?.status === "pending") {
    if (now() - startedAt > oneGo) return scheduleExport(job);
    current = await buildPart(job, current);
  }
}

async function buildPart(owner: UserScope, current: StoredExport): Promise<StoredExport | null> {
  try {
    const part =
      current.kind === "archive" ? await archivePart(owner, current) : await conversationPart(owner, current);
    return await appendText(owner, current, part);
  } catch (error) {
    // The conversation may be gone by now, or not be shared any more.
    if (!(error instanceof ServiceError)) throw error;
    await failExport(owner, current);
    return null;
  }
}

async function conversationPart(owner: UserScope, { conversation_id, format, position, created_at }: StoredExport) {
  const conversation = await authorizeConversation(owner, String(conversation_id), "READ");
  const transcriptFormat = format === "markdown" ? "markdown" : "json";
  return transcriptPart(owner, conversation, transcriptFormat, created_at, position ?? undefined);
}

/** Where an archive goes on: in which list and where in it, or first of all in what is in one of its items. */
interface ArchivePosition {
  readonly list: number;
  readonly cursor?: string;
  readonly within?: { readonly list: number; readonly key: Key; readonly cursor: string };
}

/** Items of a list in one part, where nothing is in them. */
const pageSize = 100;

const lineOf = (belonging: Belonging) => `${JSON.stringify(belonging)}\n`;

async function archivePart(owner: UserScope, { position, created_at }: StoredExport): Promise<TextPart> {
  const at = position === null ? { list: 0 } : (JSON.parse(position) as ArchivePosition);
  if (at.list >= possessions.length && !at.within) return { text: "", next: null };
  const { belongings, next } = await (at.within ? contentsAt(owner, at, at.within) : belongingsAt(owner, at));
  const head = { format: "switchboard.archive", version: 1, user_id: owner.userId, exported_at: created_at };
  const lines = [...(position === null ? [{ kind: "archive", data: head }] : []), ...belongings];
  return { text: lines.map(lineOf).join(""), next: JSON.stringify(next) };
}

/** Some of what somebody owns, and where to go on after it. */
interface ArchivePart {
  readonly belongings: readonly Belonging[];
  readonly next: ArchivePosition;
}

async function belongingsAt(owner: UserScope, { list, cursor }: ArchivePosition): Promise<ArchivePart> {
  const { kind, shape, contents, ...possession } = possessions[list] as Possession;
  const limit = contents ? 1 : pageSize;
  const { entries, next } = await possession.list(owner, { limit, ...(cursor && { cursor }) });
  const belongings = entries.map((entry) => ({ kind, data: v.parse(shape, entry) }));
  const beyond = next === null ? { list: list + 1 } : { list, cursor: next };
  const [only] = entries;
  if (!contents || !only) return { belongings, next: beyond };
  const inside = partOf(await contents(owner, only, undefined), { list, key: { pk: only.pk, sk: only.sk } }, beyond);
  return { ...inside, belongings: [...belongings, ...inside.belongings] };
}

async function contentsAt(
  owner: UserScope,
  { within: _, ...beyond }: ArchivePosition,
  { list, key, cursor }: NonNullable<ArchivePosition["within"]>,
): Promise<ArchivePart> {
  const item = await tenantTable(owner).get(key, { consistent: true });
  const page = item && (await possessions[list]?.contents?.(owner, item, cursor));
  // What was deleted meanwhile has nothing in it any more.
  return page ? partOf(page, { list, key }, beyond) : { belongings: [], next: beyond };
}

/** A page of what is in an item, after which comes the next page of it, or else what is beyond. */
function partOf(
  { entries, next }: Page<Belonging>,
  place: { readonly list: number; readonly key: Key },
  beyond: ArchivePosition,
): ArchivePart {
  return { belongings: entries, next: next === null ? beyond : { ...beyond, within: { ...place, cursor: next } } };
}
