import { deflateRawSync, inflateRawSync } from "node:zlib";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import type { Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import type { Segment } from "../files/segments/segments.ts";
import { toMarkdown } from "../files/segments/to-markdown.ts";
import { type MediaType, parseSegments } from "./indexing/split-into-passages.ts";

/** Content of one document version: its text, or the segments that were extracted from a file. */
export type DocumentSource =
  | { readonly format: MediaType; readonly text: string }
  | { readonly format: "segments"; readonly segments: readonly Segment[] };

/** Maximum size of one part of a compressed source, in bytes, because DynamoDB items are limited to 400 KB. */
const MAX_PART_BYTES = 350_000;

const toContent = (source: DocumentSource) =>
  source.format === "segments" ? JSON.stringify(source.segments) : source.text;

/** Returns the size of a source before compression, in bytes. */
export const toSourceBytes = (source: DocumentSource): number => Buffer.byteLength(toContent(source));

export function sourceWrites(
  { tenantId }: TenantScope,
  documentId: string,
  version: number,
  source: DocumentSource,
): Write[] {
  const compressed = deflateRawSync(toContent(source));
  return Array.from({ length: Math.ceil(compressed.length / MAX_PART_BYTES) }, (_, part) => ({
    put: {
      ...keys.documentSource(tenantId, documentId, version, part),
      discriminator: "document-source",
      format: source.format,
      text: compressed.subarray(part * MAX_PART_BYTES, (part + 1) * MAX_PART_BYTES),
    },
  }));
}

async function queryParts(scope: TenantScope, documentId: string, version: number): Promise<Item[]> {
  const { pk, sk } = keys.documentSource(scope.tenantId, documentId, version, 0);
  return tenantTable(scope).query({ pk, prefix: sk.slice(0, sk.lastIndexOf("#") + 1), consistent: true });
}

/** Returns the source of a document version; undefined if it was purged. */
async function findSource(
  scope: TenantScope,
  documentId: string,
  version: number,
): Promise<DocumentSource | undefined> {
  const parts = await queryParts(scope, documentId, version);
  const [first] = parts;
  if (!first) return undefined;
  const content = inflateRawSync(Buffer.concat(parts.map(({ text }) => text as Uint8Array))).toString();
  const format = first.format as DocumentSource["format"];
  return format === "segments" ? { format, segments: JSON.parse(content) } : { format, text: content };
}

/** Returns the segments of a document version; empty if its source was purged. */
export async function getSegments(
  scope: TenantScope,
  { id }: { readonly id: string },
  version: number,
): Promise<readonly Segment[]> {
  const source = await findSource(scope, id, version);
  if (!source) return [];
  return source.format === "segments" ? source.segments : parseSegments(source.text, source.format);
}

/** Returns the text of a document version, or the Markdown of its file; undefined if the source was purged. */
export async function findDocumentText(
  scope: TenantScope,
  { id }: { readonly id: string },
  version: number,
): Promise<string | undefined> {
  const source = await findSource(scope, id, version);
  return source?.format === "segments" ? toMarkdown(source.segments) : source?.text;
}

/** Deletes the sources of the given versions, or of all versions. */
export async function deleteSources(
  scope: TenantScope,
  documentId: string,
  versions?: readonly number[],
): Promise<void> {
  const table = tenantTable(scope);
  const { pk } = keys.documentSource(scope.tenantId, documentId, 0, 0);
  const parts = versions
    ? (await Promise.all(versions.map((version) => queryParts(scope, documentId, version)))).flat()
    : await table.query({ pk, prefix: keyPrefixes.documentSource, consistent: true });
  await table.deleteMany(parts);
}
