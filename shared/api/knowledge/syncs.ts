import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Integer, nonEmptyText, Timestamp, TimestampInput } from "../fields.ts";
import { documentMediaTypes, Uri } from "./document-fields.ts";
import { extractionFailures } from "./extraction-failures.ts";
import { DocumentReadersInput } from "./readers.ts";
import { PresignedUpload } from "./uploads.ts";

/** Maximum number of files in one page of a manifest. */
export const MAX_SYNC_ENTRIES = 1_000;

/** Maximum number of files that one request stages: a transaction of 100 writes has two for each, and some for counts. */
export const MAX_STAGED_ENTRIES = 40;

/** Share of the documents up to which a sync removes them without `confirm`. */
export const MAX_REMOVED_SHARE = 0.2;

/** Time after the last request from which another sync may start, in minutes. */
export const SYNC_LEASE_MINUTES = 15;

const Digest = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 digest in lower-case hexadecimal digits"),
  v.examples(["f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2"]),
);

const SyncPath = describe(nonEmptyText(1_000), "The path of the file in its source, which identifies it.");

const SyncEntry = v.strictObject({
  path: SyncPath,
  hash: describe(Digest, "The SHA-256 digest of the content, in hexadecimal digits."),
  size: v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(0, "must be at least 0")),
  media_type: describe(
    v.optional(v.picklist(documentMediaTypes)),
    "The media type, if the path does not end with the extension of a file.",
  ),
  uri: Uri,
  modified_at: v.optional(TimestampInput),
  readers: v.optional(DocumentReadersInput, null),
});
export type SyncEntry = v.InferOutput<typeof SyncEntry>;

const Refusal = v.object({ path: v.string(), code: v.picklist(["empty", "too_large", "unsupported"]) });

/** Sync of a collection with a source of files. */
export const Sync = v.object({
  id: Id,
  collection_id: Id,
  status: describe(
    v.picklist(["open", "applying", "completed", "failed", "abandoned"]),
    "`open` while the client compares and uploads, `applying` until searches find its result, and `abandoned` if the client made no request for 15 minutes.",
  ),
  files: describe(Integer, "The number of files in the manifest, as far as it was compared."),
  added: Integer,
  changed: describe(Integer, "The number of files with another content, address or other readers."),
  moved: Integer,
  removed: Integer,
  refused: describe(Integer, "The number of files that are empty, too large or in a format that cannot be read."),
  failed: describe(
    Integer,
    "The number of files whose text could not be extracted, in this sync or in an earlier one if they are the same since.",
  ),
  failures: describe(
    v.array(
      v.object({
        path: v.string(),
        document_id: Id,
        code: v.picklist(Object.keys(extractionFailures) as (keyof typeof extractionFailures)[]),
        message: v.string(),
      }),
    ),
    "The first 20 failures.",
  ),
  author_id: v.string(),
  started_at: Timestamp,
  expires_at: describe(Timestamp, "When another sync may start if the client makes no further request."),
  completed_at: v.nullable(Timestamp),
});
export type Sync = v.InferOutput<typeof Sync>;

const route = routeGroup({ group: "knowledge", auth: "jwt" });

export const syncCollectionRoute = route("PUT /v1/knowledge/collections/{id}/sync", {
  id: "syncCollection",
  capability: "knowledge.create",
  body: v.strictObject({
    sync_id: describe(v.optional(Id), "The sync that is continued. Without it, a sync starts."),
    after: describe(
      v.optional(v.nullable(Digest), null),
      "The `cursor` of the reply before. `null` begins with the first page, also again.",
    ),
    entries: describe(
      v.pipe(v.array(SyncEntry), v.maxLength(MAX_SYNC_ENTRIES, `must have at most ${MAX_SYNC_ENTRIES} entries`)),
      "The next files in the order of the SHA-256 digests of their paths.",
    ),
    is_last: describe(v.optional(v.boolean(), false), "True if no files follow."),
    dry_run: describe(v.optional(v.boolean(), false), "Only compares: starts no sync and stores nothing."),
  }),
  replies: {
    200: v.object({
      sync: describe(v.nullable(Sync), "`null` for a dry run."),
      missing: describe(v.array(v.string()), "The paths of files to stage that the collection does not have."),
      changed: describe(v.array(v.string()), "The paths of files to stage that differ."),
      removed: describe(
        v.array(v.object({ path: v.string(), hash: v.string() })),
        "The files that the source does not have. Those that it has at another path are moved when that is staged.",
      ),
      refused: describe(v.array(Refusal), "The files that cannot become documents."),
      cursor: describe(
        v.nullable(v.string()),
        "The digest of the last path that was compared: the next request sends the files after it. `null` after the last one.",
      ),
    }),
  },
  errors: ["forbidden", "conflict"],
  summary: "Compare a collection with a source",
  description: `Compares a page of a manifest with the collection, and answers which files are missing, changed or removed. After the last page, the differences are sent with \`stageSyncEntries\`, and \`completeSync\` makes them visible at once. Documents that were added in other ways stay as they are. Returns 409 with \`sync\` (\`id\`, \`started_at\`) while another sync of the collection is in progress; one without requests for ${SYNC_LEASE_MINUTES} minutes is abandoned, and the next one continues its work. Requires ownership of the collection or \`rbac.manage\`.`,
});

export const getSyncRoute = route("GET /v1/knowledge/collections/{id}/sync", {
  id: "getSync",
  replies: { 200: Sync },
  summary: "Get the last sync of a collection",
  description:
    "Requires ownership of the collection or `rbac.manage`, because failures name files. Returns 404 before the first sync.",
  errors: ["forbidden"],
});

export const stageSyncEntriesRoute = route("PUT /v1/knowledge/collections/{id}/sync/entries", {
  id: "stageSyncEntries",
  capability: "knowledge.create",
  storesFiles: true,
  body: v.strictObject({
    sync_id: Id,
    entries: v.pipe(
      v.array(SyncEntry),
      v.minLength(1, "must not be empty"),
      v.maxLength(MAX_STAGED_ENTRIES, `must have at most ${MAX_STAGED_ENTRIES} entries`),
    ),
  }),
  replies: {
    200: v.object({
      results: describe(
        v.array(
          v.object({
            path: v.string(),
            document_id: Id,
            change: v.picklist(["added", "changed", "moved", "none"]),
            upload: describe(
              v.nullable(PresignedUpload),
              "The request that uploads the file. `null` if the service has its content already, such as that of a moved file.",
            ),
          }),
        ),
        "The results in the order of `entries`.",
      ),
    }),
  },
  errors: ["forbidden", "conflict"],
  summary: "Stage files of a sync",
  description:
    "Stores new and changed files, and where others have moved to, without showing them before `completeSync`. Files that are staged already get another upload request only if their content has not arrived.",
});

export const completeSyncRoute = route("POST /v1/knowledge/collections/{id}/sync/complete", {
  id: "completeSync",
  capability: "knowledge.create",
  body: v.strictObject({
    sync_id: Id,
    confirm: describe(v.optional(v.boolean(), false), "Removes documents even if they are more than 20 % of all."),
  }),
  replies: { 200: Sync },
  errors: ["forbidden", "conflict"],
  summary: "Complete a sync",
  description: `Makes the staged files visible and removes the documents of files that the source does not have, all at once, as soon as the text of the staged files is indexed. Returns 409 with \`removed\` and \`documents\` if more than ${MAX_REMOVED_SHARE * 100} % of the documents would be removed without \`confirm\`.`,
});
