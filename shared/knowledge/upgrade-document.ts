import type { Item } from "../dynamodb/table.ts";

/**
 * Adds the attributes that documents of the release 0.1.0 lack: they had one version, and no files, stages or pages.
 * `test/api/http/earlier-releases.test.ts` reads such documents.
 */
export function upgradeDocument(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (item.version !== undefined) return item;
  const { status, title, size, created_at } = item;
  const placement = item.placement as Item | undefined;
  const isReady = status === "ready";
  return {
    file_name: null,
    version: 1,
    indexed_version: isReady ? 1 : null,
    stage: isReady ? null : "queued",
    progress: isReady ? 1 : 0,
    failure: null,
    page_count: null,
    language: placement?.language ?? null,
    updated_at: created_at,
    source_bytes: size,
    ...item,
    ...(placement && { placement: { version: 1, title, indexed: placement.count, ...placement } }),
  };
}
