import { expect, it } from "vitest";
import { itemTypeNames } from "#shared/dynamodb/item-types.ts";
import { erasableResources } from "#shared/governance/erasure/erasure.ts";

/** Item types by their handling when a user's data is erased. */
const typesByHandling = {
  /** Owned by the user, and listed in `erasableResources`. */
  owned: [
    ...["approval", "collection", "conversation", "export", "feedback", "folder", "grant", "memory", "note"],
    ...["persona", "template", "tool-token", "slack-link"],
  ],
  /** Erased along with the parent item. */
  dependent: [
    ...["collection-name", "document", "document-source", "import", "import-timer"],
    ...["index-statistics", "indexed-message", "passage", "postings", "vector-codes", "vector-state"],
    ...[
      "attachment",
      "message",
      "revision",
      "summary",
      "tool-call",
      "run",
      "run-control",
      "run-log",
      "paused-run",
      "share-link",
      "shared-view",
      "incident",
      "investigation",
      "investigation-record",
      "investigation-replay",
      "incident-update",
      "queued-investigation",
    ],
    ...["endpoint", "folder-entry", "folder-name", "export-piece", "listed-feedback", "own-approval", "pending-export"],
  ],
  /** Owned by the tenant: audit, access, usage. */
  tenantOwned: [
    ...[
      "api-key",
      "credential",
      "embed-key",
      "webhook",
      "webhook-lookup",
      "tenant",
      "policy",
      "role",
      "usage",
      "storage",
    ],
    ...["budget", "budget-ledger", "budget-alert"],
    ...["audit-event", "audit-head", "group", "group-name", "membership", "slug", "user", "deletion"],
    "scim-name",
    "issuer",
    "issuer-lookup",
    "running-imports",
    "running-investigations",
    "language-model",
    "usage-correction",
    "tool-server",
    "event-endpoint",
    "slack-workspace",
    "teams-workspace",
    "teams-lookup",
    "slack-lookup",
    "slack-team",
  ],
  /** Expires by TTL; API key calls after at most 90 days, consents after 180. */
  expiring: [
    ...[
      "audit-mark",
      "completion",
      "counted",
      "delivery",
      "event-delivery",
      "event-pause",
      "embed-session",
      "idempotency",
      "investigation-budget",
      "investigation-group",
      "key-rate",
      "rate",
    ],
    ...["openai-conversation", "openai-conversation-item"],
    ...["openai-response", "completion-cancellation", "tool-consent", "tool-sign-in", "invitation"],
    ...["slack-event", "slack-thread", "slack-link-request", "slack-installation", "visitor-question"],
  ],
};

it("erasure of a user's data has a rule for every type of table item", () => {
  expect(Object.values(typesByHandling).flat().toSorted()).toEqual(itemTypeNames.toSorted());
  expect([...new Set(erasableResources.map(({ kind }) => kind.replace("_", "-")))].toSorted()).toEqual(
    typesByHandling.owned.toSorted(),
  );
});
