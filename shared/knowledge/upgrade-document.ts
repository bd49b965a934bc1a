import { anyOf, type Condition, equals, lacksAttribute } from "../dynamodb/table.ts";
import type { Placement } from "./placement.ts";

/**
 * Adds attributes to a document that release 0.1.0 stored. Its documents had one version, and no files, stages or
 * pages. `test/api/http/earlier-releases.long.test.ts` reads and changes such documents.
 */
export function upgradeDocument(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (item.version !== undefined) return item;
  const { status, title, size, created_at } = item;
  const placement = item.placement as Omit<Placement, "version" | "title" | "indexed"> | undefined;
  const isReady = status === "ready";
  return {
    is_upgraded: true,
    file_name: null,
    version: 1,
    indexed_version: placement ? 1 : null,
    stage: isReady ? null : "queued",
    progress: isReady ? 1 : 0,
    failure: null,
    page_count: null,
    language: placement?.language ?? null,
    updated_at: created_at,
    source_bytes: size,
    ...item,
    ...(placement && {
      placement: { ...placement, version: 1, title, indexed: placement.count, has_own_split: true },
    }),
  };
}

const upgradedAttributes = [
  "file_name",
  "version",
  "indexed_version",
  "stage",
  "progress",
  "failure",
  "page_count",
  "language",
  "updated_at",
  "source_bytes",
  "placement",
] as const;

/** Attributes that `upgradeDocument` may have added when the document was read. */
export type UpgradedAttributes = { readonly is_upgraded?: boolean | undefined } & {
  readonly [Name in (typeof upgradedAttributes)[number]]?: unknown;
};

/**
 * Returns the attributes that a write must also store because `upgradeDocument` added them when the document was read;
 * none for other documents.
 */
export function toUpgradeChanges(document: UpgradedAttributes): Record<string, unknown> {
  if (!document.is_upgraded) return {};
  return Object.fromEntries(upgradedAttributes.map((name) => [name, document[name]]));
}

/** Returns the condition that a document has a version. An upgraded document may have no stored version yet. */
export const hasVersion = ({ is_upgraded }: UpgradedAttributes, version: number): Condition =>
  is_upgraded ? anyOf([lacksAttribute("version"), equals({ version })]) : equals({ version });
