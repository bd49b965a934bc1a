import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kindsOfData } from "#shared/governance/erasure/erasure.ts";

/** What becomes of an item when somebody's data is deleted, by its discriminator. */
const fates = {
  /** It is somebody's, and deleted as a kind of its own. */
  owned: [
    ...["approval", "collection", "conversation", "export", "feedback", "folder", "grant", "memory", "note"],
    ...["persona", "template"],
  ],
  /** It goes with what it belongs to. */
  along: [
    ...["collection-name", "document", "document-source", "index-statistics", "passage", "postings"],
    ...["message", "revision", "run", "run-control", "run-log", "paused-run", "share-link", "shared-view", "incident"],
    ...["endpoint", "folder-entry", "folder-name", "export-piece", "listed-feedback", "own-approval"],
  ],
  /** It is the tenant's: who did what, who may do what, what was used. */
  tenants: [
    ...["api-key", "credential", "embed-key", "webhook", "webhook-lookup", "tenant", "policy", "role", "usage"],
    ...["audit-event", "audit-head", "group", "group-name", "membership", "slug", "user", "deletion"],
  ],
  /** It expires by itself, calls of keys after 90 days at the latest. */
  passing: [...["audit-mark", "completion", "counted", "delivery", "embed-session", "idempotency", "key-rate", "rate"]],
};

it("deletes everything that is somebody's: of each kind of item it is known what becomes of it", () => {
  const directory = join(import.meta.dirname, "../../shared/data");
  const sources = readdirSync(directory).map((file) => readFileSync(join(directory, file), "utf8"));
  const found = sources.flatMap((source) =>
    [...source.matchAll(/discriminator: "([a-z-]+)"/g)].map(([, name]) => name),
  );
  expect(Object.values(fates).flat().toSorted()).toEqual([...new Set(found)].toSorted());
  expect([...new Set(kindsOfData.map(({ kind }) => kind))].toSorted()).toEqual(fates.owned.toSorted());
});
