import type { Export } from "../../api/governance/exports.ts";
import { keys } from "../../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import type { Item, Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { splitUtf8 } from "../../lib/split-utf8.ts";

/** An export as it is kept. */
export interface StoredExport extends Omit<Export, "download_url"> {
  readonly owner_id: string;
  /** Pieces of its text that are there. */
  readonly pieces: number;
  /** Where the next piece goes on, as its source understands it; null at the beginning. */
  readonly position: string | null;
}

/** The export of an item. */
export const exportOf = (item: Item) => item as unknown as StoredExport;

/** How long an export is kept, in milliseconds. */
const kept = 24 * 3_600_000;

const ttlOf = ({ expires_at }: StoredExport) => Math.ceil(Date.parse(expires_at) / 1_000);

/** What is to be exported. */
export type ExportSource = Pick<Export, "kind" | "conversation_id" | "format">;

/** Everything somebody owns. */
export const archive: ExportSource = { kind: "archive", conversation_id: null, format: "ndjson" };

/** A fresh export, of which nothing is there yet. */
export function newExport(ownerId: string, source: ExportSource): StoredExport {
  const at = now();
  return {
    id: newId(),
    ...source,
    owner_id: ownerId,
    status: "pending",
    size: 0,
    pieces: 0,
    position: null,
    created_at: timestamp(at),
    finished_at: null,
    expires_at: timestamp(at + kept),
  };
}

/** The write that stores a fresh export; it is put together by the change feed. */
export function newExportWrite(scope: TenantScope, fresh: StoredExport): Write {
  return {
    put: {
      ...keys.export(scope.tenantId, fresh.owner_id, fresh.id),
      discriminator: "export",
      timestamp: now(),
      ttl: ttlOf(fresh),
      ...fresh,
    },
  };
}

/** The write that puts on record that something was given out at once: what leaves the house leaves a trace. */
export function deliveryWrite(scope: TenantScope, ownerId: string, source: ExportSource): Write {
  const fresh = newExport(ownerId, source);
  const { created_at: finished_at } = fresh;
  return newExportWrite(scope, { ...fresh, status: "delivered", finished_at });
}

/** An export of the person's, or undefined. */
export async function findExport(member: UserScope, id: string): Promise<StoredExport | undefined> {
  const item = await tenantTable(member).get(keys.export(member.tenantId, member.userId, id), { consistent: true });
  return item && exportOf(item);
}

/** @throws ServiceError `not_found` */
export async function getExport(member: UserScope, id: string): Promise<StoredExport> {
  const found = await findExport(member, id);
  if (!found) throw notFound();
  return found;
}

/**
 * A person's exports, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listExports(member: UserScope, request: PageRequest): Promise<Page<StoredExport>> {
  const { pk } = keys.export(member.tenantId, member.userId, "");
  const list = { list: "exports", filters: { user: member.userId }, pk, descending: true, consistent: true };
  const { entries, next } = await listPage(member, list, request);
  return { entries: entries.map(exportOf), next };
}

/** Puts on record that an export is fetched, by whoever has the link. */
export async function recordDownload(scope: TenantScope, { owner_id, id }: StoredExport): Promise<void> {
  await tenantTable(scope).write({
    update: keys.export(scope.tenantId, owner_id, id),
    set: { timestamp: now() },
    add: { downloads: 1 },
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  });
}

/**
 * Adds a part of its text to an export, together with where the next one begins; without one it is ready.
 * @returns the export as it is then; null where somebody else has gone on with it
 */
export async function appendText(
  scope: TenantScope,
  current: StoredExport,
  { text, next }: { readonly text: string; readonly next: string | null },
): Promise<StoredExport | null> {
  const texts = splitUtf8(text);
  const progress = {
    pieces: current.pieces + texts.length,
    position: next,
    size: current.size + Buffer.byteLength(text),
    ...(next === null && { status: "ready" as const, finished_at: timestamp() }),
  };
  try {
    await tenantTable(scope).transact([
      progressWrite(scope, current, progress),
      ...texts.map((piece, index) => ({
        put: {
          ...keys.exportPiece(scope.tenantId, current.id, current.pieces + index),
          discriminator: "export-piece",
          ttl: ttlOf(current),
          text: piece,
        },
      })),
    ]);
    return { ...current, ...progress };
  } catch (error) {
    if (error instanceof GoneOn) return null;
    throw error;
  }
}

/** Ends an export that cannot be put together. */
export async function failExport(scope: TenantScope, current: StoredExport): Promise<void> {
  try {
    await tenantTable(scope).write(progressWrite(scope, current, { status: "failed", finished_at: timestamp() }));
  } catch (error) {
    if (!(error instanceof GoneOn)) throw error;
  }
}

/** Somebody else has gone on with the export. */
class GoneOn extends Error {}

const progressWrite = (
  scope: TenantScope,
  { owner_id, id, position }: StoredExport,
  set: Partial<StoredExport>,
): Write => ({
  update: keys.export(scope.tenantId, owner_id, id),
  set: { ...set, timestamp: now() },
  condition: {
    where: "#status = :pending AND #position = :position",
    values: { pending: "pending", position },
    onConditionFailed: () => new GoneOn(),
  },
});

/**
 * Removes what there is of an export's text, of which there may be a lot: nothing of it is read. One that is being put
 * together ends first, so that nobody adds to it any more.
 * @throws ServiceError `not_found` when the export is gone
 */
export async function eraseText(scope: TenantScope, listed: StoredExport): Promise<void> {
  const { id, pieces } = listed.status === "pending" ? await endExport(scope, listed) : listed;
  const numbers = Array.from({ length: pieces }, (_, piece) => piece);
  await tenantTable(scope).deleteMany(numbers.map((piece) => keys.exportPiece(scope.tenantId, id, piece)));
}

/** Ends an export wherever it is. */
async function endExport(scope: TenantScope, { owner_id, id }: StoredExport): Promise<StoredExport> {
  const item = await tenantTable(scope).write({
    update: keys.export(scope.tenantId, owner_id, id),
    set: { status: "failed", timestamp: now() },
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  });
  return exportOf(item as Item);
}

/** The text of an export, piece by piece. */
export async function* exportText(scope: TenantScope, { id, pieces }: StoredExport): AsyncGenerator<string> {
  for (let piece = 0; piece < pieces; piece++) {
    const item = await tenantTable(scope).get(keys.exportPiece(scope.tenantId, id, piece), { consistent: true });
    if (!item) throw new Error("A piece of an export is missing");
    yield String(item.text);
  }
}
