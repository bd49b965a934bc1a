import { expect, it } from "vitest";
import { itemTypeNames } from "#shared/dynamodb/item-types.ts";
import { erasableResources } from "#shared/governance/erasure/erasure.ts";

/** Item types by their handling when a user's data is erased. */
const typesByHandling = {
  /** Owned by the user, and listed in `erasableResources`. */
  owned: [
    ...["approval", "collection", "conversation", "export", "feedback", "folder", "grant", "memory", "note"],
    ...["persona", "template"],
  ],
  /** Erased along with the parent item. */
  dependent: [
    ...["collection-name", "document", "document-source", "import", "import-timer"],
    ...["index-statistics", "passage", "postings", "vector-codes", "vector-state"],
    ...["message", "revision", "run", "run-control", "run-log", "paused-run", "share-link", "shared-view", "incident"],
    ...["endpoint", "folder-entry", "folder-name", "export-piece", "listed-feedback", "own-approval", "pending-export"],
  ],
  /** Owned by the tenant: audit, access, usage. */
  tenantOwned: [
    ...["api-key", "credential", "embed-key", "webhook", "webhook-lookup", "tenant", "policy", "role", "usage"],
    ...["audit-event", "audit-head", "group", "group-name", "membership", "slug", "user", "deletion"],
    "running-imports",
  ],
  /** Expires by TTL; API key calls after at most 90 days. */
  expiring: [
    ...["audit-mark", "completion", "counted", "delivery", "embed-session", "idempotency", "key-rate", "rate"],
    ...["openai-response", "completion-cancellation"],
  ],
};

it("erasure of a user's data has a rule for every type of table item", () => {
  expect(Object.values(typesByHandling).flat().toSorted()).toEqual(itemTypeNames.toSorted());
  expect([...new Set(erasableResources.map(({ kind }) => kind))].toSorted()).toEqual(typesByHandling.owned.toSorted());
});
