import { hashCredential } from "../../auth/credentials.ts";
import { messagesOf, userOwner } from "../../dynamodb/key-owner.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import type { Item, Key } from "../../dynamodb/table.ts";
import { TENANT_LEDGER } from "../budgets/ledger-store.ts";
import { USAGE_SHARD_COUNT } from "../usage/usage-store.ts";

/**
 * Item types that the deletion of a tenant searches for. Items of all other types expire, or stream processors delete
 * them with these.
 */
export const foundTypes = [
  ...(["user", "policy", "approval", "ownApproval", "export", "exportSegment", "pendingExport", "deletion"] as const),
  ...(["role", "group", "apiKey", "embedKey", "webhook", "delivery", "investigationBudget", "template"] as const),
  ...([
    "listedFeedback",
    "eventEndpoint",
    "eventDelivery",
    "toolServer",
    "languageModel",
    "toolConsent",
    "toolToken",
    "toolSignIn",
    "budget",
    "slackWorkspace",
    "teamsWorkspace",
    "teamsLookup",
    "messengerEvent",
    "messengerThread",
    "messengerLink",
    "messengerLinkRequest",
    "slackLookup",
    "slackTeam",
    "slackInstallation",
  ] as const),
  ...(["budgetLedger", "budgetAlert", "persona", "endpoint", "conversation", "run", "folder", "folderEntry"] as const),
  ...([
    "collection",
    "collectionName",
    "documentSource",
    "memory",
    "note",
    "usage",
    "storage",
    "visitorQuestion",
    "usageCorrection",
    "auditHead",
  ] as const),
  ...(["investigationRecord", "queuedInvestigation", "runningInvestigations", "runningImports"] as const),
  ...([
    "indexStatistics",
    "vectorState",
    "vectorCodes",
    "passage",
    "credential",
    "webhookLookup",
    "sharedView",
    "scimName",
    "issuer",
    "invitation",
    "issuerLookup",
    "slug",
    "tenant",
  ] as const),
] satisfies (keyof typeof keys)[];

const toLedgerKey = (tenant: string, type: string, id: string): Key => keys.budgetLedger(tenant, `${type}#${id}`);

/** Returns the partitions whose key depends only on the tenant. */
export const tenantPartitions = (tenant: string): Key[] => [
  keys.policy(tenant),
  keys.approval(tenant, ""),
  keys.deletion(tenant, ""),
  keys.role(tenant, ""),
  keys.apiKey(tenant, ""),
  keys.embedKey(tenant, ""),
  keys.webhook(tenant, ""),
  keys.template(tenant, ""),
  keys.listedFeedback(tenant, ""),
  keys.eventEndpoint(tenant, ""),
  keys.toolServer(tenant, ""),
  keys.usageCorrection(tenant, ""),
  keys.languageModel(tenant, ""),
  keys.slackWorkspace(tenant, ""),
  keys.teamsWorkspace(tenant, ""),
  keys.budget(tenant, ""),
  keys.budgetAlert(tenant, ""),
  keys.budgetLedger(tenant, TENANT_LEDGER),
  keys.persona(tenant, ""),
  keys.endpoint(tenant, ""),
  keys.memory(tenant, "tenant", ""),
  keys.queuedInvestigation(tenant, ""),
  keys.runningInvestigations(tenant),
  keys.runningImports(tenant),
  keys.storage(tenant),
  keys.visitorQuestion(tenant, "", ""),
  keys.group(tenant, ""),
  keys.scimName(tenant, "user-name", ""),
  keys.issuer(tenant, ""),
  keys.invitation(tenant, ""),
  ...Array.from({ length: USAGE_SHARD_COUNT }, (_, shard) => keys.usage(tenant, shard, "")),
];

/** Returns the partitions of a user, except that of the user's own item, which is deleted last. */
export const userPartitions = (tenant: string, user: string): Key[] => [
  keys.folder(tenant, user, ""),
  keys.ownApproval(tenant, user, ""),
  keys.export(tenant, user, ""),
  keys.pendingExport(tenant, user),
  keys.toolConsent(tenant, user, ""),
  keys.toolSignIn(tenant, user, ""),
  keys.slackInstallation(tenant, user, ""),
  keys.memory(tenant, userOwner(user), ""),
  keys.note(tenant, user, ""),
  toLedgerKey(tenant, "user", user),
];

/** Returns the index partition of a user's conversations, which also lists those shared with the user. */
export const conversationsOf = (tenant: string, user: string): string =>
  indexKeys.conversationByActivity(tenant, user, "").gsi1pk;

/** Returns the index partition of a user's collections; for null, that of the tenant's shared collections. */
export const collectionsOf = (tenant: string, user: string | null): string =>
  indexKeys.collectionByAudience(tenant, user === null ? "tenant" : userOwner(user), "").gsi1pk;

/** Returns the audiences whose search indexes belong to a user; for null, the audience of the tenant. */
export const audiencesOf = (user: string | null) =>
  user === null ? (["tenant"] as const) : [userOwner(user), messagesOf(user)];

/** Returns a sort key without its prefix up to the first `#`. */
const idOf = ({ sk }: Key): string => sk.slice(sk.indexOf("#") + 1);

const workspacePartitions = (tenant: string, { sk }: Item): Key[] => [
  keys.messengerEvent(tenant, sk, ""),
  keys.messengerThread(tenant, sk, ""),
  keys.messengerLink(tenant, sk, ""),
  keys.messengerLinkRequest(tenant, sk, ""),
];

/**
 * Functions that return the partitions that belong to an item, by item type. They are emptied before the item is
 * deleted.
 */
export const ownPartitions: Readonly<Record<string, (tenant: string, item: Item) => Key[]>> = {
  message: (tenant, item) => [keys.run(tenant, idOf(item))],
  folder: (tenant, item) => [keys.folderEntry(tenant, idOf(item), "")],
  document: (tenant, item) => [keys.documentSource(tenant, idOf(item), 0, 0)],
  webhook: (tenant, { sk }) => [keys.delivery(tenant, sk, ""), keys.investigationBudget(tenant, sk, "")],
  "event-endpoint": (tenant, { sk }) => [keys.eventDelivery(tenant, sk, "")],
  "tool-server": (tenant, { sk }) => [keys.toolToken(tenant, sk, "tenant")],
  "slack-workspace": workspacePartitions,
  "teams-workspace": workspacePartitions,
  "api-key": (tenant, { sk }) => [toLedgerKey(tenant, "key", sk)],
  persona: (tenant, { sk }) => [toLedgerKey(tenant, "persona", sk)],
  group: (tenant, item) => [toLedgerKey(tenant, "group", idOf(item))],
  investigation: (tenant, item) => [keys.investigationRecord(tenant, idOf(item), "")],
  export: (tenant, { sk }) => [keys.exportSegment(tenant, sk, 0)],
};

/**
 * Functions that return the keys of an item's lookup items, by item type. Lookup items are outside of the tenant's
 * partitions.
 */
export const lookups: Readonly<Record<string, (item: Item) => Key | readonly Key[]>> = {
  "api-key": ({ hash }) => keys.credential(String(hash)),
  "embed-key": ({ hash }) => keys.credential(String(hash)),
  issuer: ({ hash }) => keys.issuerLookup(String(hash)),
  webhook: ({ sk }) => keys.webhookLookup(hashCredential(sk)),
  "slack-workspace": ({ sk, team_id, installed_at }) => [
    keys.slackLookup(hashCredential(sk)),
    ...(installed_at && team_id ? [keys.slackTeam(hashCredential(String(team_id)))] : []),
  ],
  "teams-workspace": ({ sk }) => keys.teamsLookup(hashCredential(sk)),
  "share-link": ({ hash }) => keys.sharedView(String(hash)),
};
