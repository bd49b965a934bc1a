import * as v from "valibot";
import { Export } from "../../api/governance/exports.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { equals, exists, type Item, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound, requireFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { splitUtf8 } from "../../lib/truncate.ts";

/** Stored export, without download links, which are created for each request. */
const StoredExport = v.object({
  ...v.omit(Export, ["download_url", "zip_urls"]).entries,
  owner_id: v.string(),
  /** Number of stored segments of the text. */
  pieces: v.number(),
  /**
   * Position of the next part to build, in a format that depends on the kind of export; null at the start and at the
   * end.
   */
  position: v.nullable(v.string()),
  /** Number of ZIP files of an archive; absent until it is ready, and for other exports. */
  zip_parts: v.optional(v.number()),
});
export type StoredExport = v.InferOutput<typeof StoredExport>;

export const readExport = itemReader(StoredExport);

const RETENTION_MS = 24 * 3_600_000;

const toTtl = ({ expires_at }: StoredExport) => Math.ceil(Date.parse(expires_at) / 1_000);

type ExportSource = Pick<Export, "kind" | "conversation_id" | "format">;

/** Source of an archive, which contains all data of a user. */
export const archiveSource: ExportSource = { kind: "archive", conversation_id: null, format: "ndjson" };

/** Creates a pending export without text. It expires after 24 hours. */
export function newExport(ownerId: string, source: ExportSource): StoredExport {
  const createdAtMs = now();
  return {
    id: newId(),
    ...source,
    owner_id: ownerId,
    status: "pending",
    size: 0,
    pieces: 0,
    position: null,
    created_at: timestamp(createdAtMs),
    finished_at: null,
    expires_at: timestamp(createdAtMs + RETENTION_MS),
  };
}

/** Returns the write that stores a new export. If it is pending, the rule `build-export` then starts the job. */
export function newExportWrite(scope: TenantScope, created: StoredExport): Write {
  return {
    put: {
      ...keys.export(scope.tenantId, created.owner_id, created.id),
      discriminator: "export",
      timestamp: now(),
      ttl: toTtl(created),
      ...created,
    },
  };
}

/** Returns the write that records an export that was delivered in a response, for the audit trail. */
export function deliveredExportWrite(scope: TenantScope, ownerId: string, source: ExportSource): Write {
  const created = newExport(ownerId, source);
  return newExportWrite(scope, { ...created, status: "delivered", finished_at: created.created_at });
}

/** Returns an export of the user; undefined if it does not exist. */
export async function findExport(member: UserScope, id: string): Promise<StoredExport | undefined> {
  const item = await tenantTable(member).get(keys.export(member.tenantId, member.userId, id), { consistent: true });
  return item && readExport(item);
}

/** @throws ServiceError `not_found` */
export async function getExport(member: UserScope, id: string): Promise<StoredExport> {
  return requireFound(await findExport(member, id));
}

/**
 * Lists a user's exports, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listExports(member: UserScope, request: PageRequest): Promise<Page<StoredExport>> {
  const { pk } = keys.export(member.tenantId, member.userId, "");
  const list = { list: "exports", filters: { user: member.userId }, pk, descending: true, consistent: true };
  return mapPage(await listPage(member, list, request), readExport);
}

/** Records a download of an export for the audit trail. */
export async function recordDownload(scope: TenantScope, { owner_id, id }: StoredExport): Promise<void> {
  await tenantTable(scope).write({
    update: keys.export(scope.tenantId, owner_id, id),
    set: { timestamp: now() },
    add: { downloads: 1 },
    condition: exists(notFound),
  });
}

/** Part of the text of an export. `next` is the position of the next part, or null at the end. */
export interface ExportPart extends Pick<StoredExport, "zip_parts"> {
  readonly text: string;
  readonly next: string | null;
}

/**
 * Appends a part of the text to an export, and stores the position of the next part in the same transaction. After the
 * last part, the export is ready.
 * @returns the updated export, or null if a concurrent job has continued it
 */
export async function appendText(
  scope: TenantScope,
  current: StoredExport,
  { text, next, zip_parts }: ExportPart,
): Promise<StoredExport | null> {
  const segments = splitUtf8(text);
  const progress = {
    pieces: current.pieces + segments.length,
    position: next,
    size: current.size + Buffer.byteLength(text),
    ...(next === null && { status: "ready" as const, finished_at: timestamp() }),
    ...(zip_parts && { zip_parts }),
  };
  try {
    await tenantTable(scope).transact([
      progressWrite(scope, current, progress),
      ...segments.map((segment, index) => ({
        put: {
          ...keys.exportSegment(scope.tenantId, current.id, current.pieces + index),
          discriminator: "export-segment",
          ttl: toTtl(current),
          text: segment,
        },
      })),
    ]);
    return { ...current, ...progress };
  } catch (error) {
    if (error instanceof ConcurrentUpdateError) return null;
    throw error;
  }
}

/** Marks a pending export as failed, unless a concurrent job has continued it. */
export async function failExport(scope: TenantScope, current: StoredExport): Promise<void> {
  try {
    await tenantTable(scope).write(progressWrite(scope, current, { status: "failed", finished_at: timestamp() }));
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
  }
}

/** Thrown if a concurrent job has continued the export. */
class ConcurrentUpdateError extends Error {}

const progressWrite = (
  scope: TenantScope,
  { owner_id, id, position }: StoredExport,
  set: Partial<StoredExport>,
): Write => ({
  update: keys.export(scope.tenantId, owner_id, id),
  set: { ...set, timestamp: now() },
  condition: equals({ status: "pending", position }, () => new ConcurrentUpdateError()),
});

/**
 * Deletes the text of an export. A pending export is stopped first, so that its job cannot append further segments.
 * @throws ServiceError `not_found` if the export does not exist
 */
export async function deleteExportText(scope: TenantScope, stored: StoredExport): Promise<void> {
  const { id, pieces } = stored.status === "pending" ? await stopExport(scope, stored) : stored;
  const segmentKeys = Array.from({ length: pieces }, (_, index) => keys.exportSegment(scope.tenantId, id, index));
  await tenantTable(scope).deleteMany(segmentKeys);
}

/** Marks an export as failed, regardless of its position, and returns it. */
async function stopExport(scope: TenantScope, { owner_id, id }: StoredExport): Promise<StoredExport> {
  const item = await tenantTable(scope).write({
    update: keys.export(scope.tenantId, owner_id, id),
    set: { status: "failed", timestamp: now() },
    condition: exists(notFound),
  });
  return readExport(item as Item);
}

/**
 * Yields the segments of an export's text.
 * @throws Error if a segment is missing
 */
export async function* streamExportText(scope: TenantScope, { id, pieces }: StoredExport): AsyncGenerator<string> {
  for (let index = 0; index < pieces; index++) {
    const item = await tenantTable(scope).get(keys.exportSegment(scope.tenantId, id, index), { consistent: true });
    if (!item) throw new Error("A segment of the export is missing");
    yield String(item.text);
  }
}
