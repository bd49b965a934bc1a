import { keys } from "./keys.ts";
import type { Key } from "./table.ts";

/** Kind of write, for the list of writes that record their actor. */
export type WriteKind = "put" | "update" | "delete";

/** Properties of all items of one type. */
interface ItemType {
  readonly keys: readonly ((...parts: never[]) => Key)[];
  /** Kinds of writes that record the actor, from which the audit trail is built. */
  readonly attributedWrites: readonly WriteKind[];
  /**
   * False for types that change often and that no rule of a stream processor handles; the stream's filter drops their
   * changes.
   */
  readonly isStreamed: boolean;
}

const every: readonly WriteKind[] = ["put", "update", "delete"];

/** Defines a type whose writes all record the actor. */
const attributed = (...builders: ItemType["keys"]): ItemType => ({
  keys: builders,
  attributedWrites: every,
  isStreamed: true,
});

/** Defines a type whose writes record no actor, because its items are derived from others, or are lookups, counters or logs. */
const unattributed = (...builders: ItemType["keys"]): ItemType => ({
  keys: builders,
  attributedWrites: [],
  isStreamed: true,
});

/** Defines a type whose writes record no actor and whose changes no stream processor receives. */
const unstreamed = (...builders: ItemType["keys"]): ItemType => ({
  keys: builders,
  attributedWrites: [],
  isStreamed: false,
});

/** Item types by the value of the `discriminator` attribute. */
export const itemTypes = {
  tenant: attributed(keys.tenant),
  user: attributed(keys.user),
  policy: attributed(keys.policy),
  approval: attributed(keys.approval),
  "own-approval": attributed(keys.ownApproval),
  export: attributed(keys.export),
  deletion: attributed(keys.deletion),
  role: attributed(keys.role),
  group: attributed(keys.group),
  "group-name": attributed(keys.groupName),
  // Deleted together with a change of the group, which records the actor.
  membership: { ...attributed(keys.membership), attributedWrites: ["put", "update"] },
  "api-key": attributed(keys.apiKey),
  "embed-key": attributed(keys.embedKey),
  issuer: attributed(keys.issuer),
  invitation: attributed(keys.invitation),
  webhook: attributed(keys.webhook),
  conversation: attributed(keys.conversation),
  // A new message already contains its author, so only later writes store an actor.
  message: { ...attributed(keys.message), attributedWrites: ["update", "delete"] },
  grant: attributed(keys.grant),
  "embed-session": attributed(keys.embedSession),
  "share-link": attributed(keys.shareLink),
  revision: attributed(keys.revision),
  // A new attachment contains its author.
  attachment: { ...attributed(keys.attachment), attributedWrites: ["update", "delete"] },
  // Counted as usage.
  summary: unattributed(keys.summary),
  folder: attributed(keys.folder),
  // Deleted together with a change of the folder, which records the actor.
  "folder-name": { ...attributed(keys.folderName), attributedWrites: ["put", "update"] },
  template: attributed(keys.template),
  feedback: attributed(keys.feedback),
  "listed-feedback": attributed(keys.listedFeedback),
  "tool-call": attributed(keys.toolCall),
  // Deleted in a batch by the user whose partition it is in.
  "tool-consent": { ...attributed(keys.toolConsent), attributedWrites: ["put", "update"] },
  "event-endpoint": attributed(keys.eventEndpoint),
  "event-delivery": unattributed(keys.eventDelivery),
  "language-model": attributed(keys.languageModel),
  "tool-server": attributed(keys.toolServer),
  "tool-token": attributed(keys.toolToken),
  "slack-workspace": attributed(keys.slackWorkspace),
  "teams-workspace": attributed(keys.teamsWorkspace),
  // Deleted in a batch with its workspace.
  "slack-link": { ...attributed(keys.messengerLink), attributedWrites: ["put", "update"] },
  "incident-update": attributed(keys.incidentUpdate),
  "slack-event": unattributed(keys.messengerEvent),
  budget: attributed(keys.budget),
  "usage-correction": attributed(keys.usageCorrection),
  "budget-ledger": unattributed(keys.budgetLedger),
  "budget-alert": unattributed(keys.budgetAlert),
  persona: attributed(keys.persona),
  endpoint: attributed(keys.endpoint),
  collection: attributed(keys.collection),
  document: attributed(keys.document),
  import: attributed(keys.knowledgeImport),
  memory: attributed(keys.memory),
  note: attributed(keys.note),

  "webhook-lookup": unattributed(keys.webhookChannel),
  delivery: unattributed(keys.delivery),
  incident: unattributed(keys.incident),
  investigation: unattributed(keys.investigation),
  "investigation-replay": unattributed(keys.investigationReplay),
  "shared-view": unattributed(keys.sharedView),
  "folder-entry": unattributed(keys.folderEntry),
  run: unattributed(keys.run),
  completion: unattributed(keys.completion),
  "vector-state": unattributed(keys.vectorState),
  "import-timer": unattributed(keys.importTimer),

  "event-pause": unstreamed(keys.eventPause),
  "slack-lookup": unstreamed(keys.slackLookup),
  "teams-lookup": unstreamed(keys.teamsLookup),
  "slack-team": unstreamed(keys.slackTeam),
  "slack-installation": unstreamed(keys.slackInstallation),
  "slack-thread": unstreamed(keys.messengerThread),
  "slack-link-request": unstreamed(keys.messengerLinkRequest),
  slug: unstreamed(keys.slug),
  credential: unstreamed(keys.credential),
  "issuer-lookup": unstreamed(keys.issuerLookup),
  "scim-name": unstreamed(keys.scimName),
  "run-control": unstreamed(keys.runControl),
  "tool-sign-in": unstreamed(keys.toolSignIn),
  "paused-run": unstreamed(keys.pausedRun),
  "run-log": unstreamed(keys.runLog),
  "collection-name": unstreamed(keys.collectionName),
  "running-imports": unstreamed(keys.runningImports),
  "document-source": unstreamed(keys.documentSource),
  "index-statistics": unstreamed(keys.indexStatistics),
  "indexed-message": unstreamed(keys.indexedMessage),
  passage: unstreamed(keys.passage),
  "vector-codes": unstreamed(keys.vectorCodes),
  postings: unstreamed(keys.postings),
  "export-piece": unstreamed(keys.exportSegment),
  "pending-export": unstreamed(keys.pendingExport),
  "audit-head": unstreamed(keys.auditHead),
  "audit-event": unstreamed(keys.auditEvent),
  "audit-mark": unstreamed(keys.auditMark),
  "visitor-question": unstreamed(keys.visitorQuestion),
  storage: unstreamed(keys.storage),
  usage: unstreamed(keys.usage),
  counted: unstreamed(keys.counted),
  "completion-cancellation": unstreamed(keys.completionCancellation),
  "openai-response": unstreamed(keys.openaiResponse),
  "openai-conversation": unstreamed(keys.openaiConversation),
  "openai-conversation-item": unstreamed(keys.openaiConversationItem),
  idempotency: unstreamed(keys.idempotency, keys.idempotencyPart),
  "investigation-record": unstreamed(keys.investigationRecord),
  "queued-investigation": unstreamed(keys.queuedInvestigation),
  "running-investigations": unstreamed(keys.runningInvestigations),
  "investigation-group": unstreamed(keys.investigationGroup),
  "investigation-budget": unstreamed(keys.investigationBudget),
  rate: unstreamed(keys.rate, keys.anonymousRate),
  // Counter of a key's requests. The stream delivers its insertion, which records that the key is used.
  "key-rate": unstreamed(keys.rate),
} satisfies Record<string, ItemType>;

/** Name of an item type, the value of the `discriminator` attribute. */
export type ItemTypeName = keyof typeof itemTypes;

export const itemTypeNames = Object.keys(itemTypes) as ItemTypeName[];

/**
 * Types whose changes the stream processor `index-documents` handles. The other stream processor receives all streamed types.
 */
export const indexedItemTypes: readonly ItemTypeName[] = [
  "collection",
  "document",
  "import",
  "import-timer",
  "message",
  "vector-state",
];

/**
 * Returns the literal parts of a partition key, without ids: `conversation`, `user/folders`. They determine which item types
 * the partition can hold.
 */
function toPartitionType(pk: string): string {
  const [tenant = "", type = "", , collection] = pk.split("#", 4);
  if (tenant.startsWith("~")) return tenant;
  return type === "user" && collection !== undefined ? `${type}/${collection}` : type;
}

/** Returns the literal start of a sort key, such as `message` in `message#<id>`; empty if it starts with an id. */
const toSortType = (sk: string) => /^[a-z-]+(?=#|$)/.exec(sk)?.[0] ?? "";

const typesByPattern = new Map<string, ItemTypeName>();
for (const name of itemTypeNames.toReversed()) {
  for (const toKey of itemTypes[name].keys) {
    // Placeholders in upper case are not mistaken for literal parts.
    const { pk, sk } = (toKey as (...parts: unknown[]) => Key)("X", "X", "X", "X");
    typesByPattern.set(`${toPartitionType(pk)} ${toSortType(sk)}`, name);
  }
}

/** Returns the item type that a key belongs to, or undefined for a key that no builder creates. */
export function findItemType({ pk, sk }: Key): ItemTypeName | undefined {
  const partition = toPartitionType(pk);
  return typesByPattern.get(`${partition} ${toSortType(sk)}`) ?? typesByPattern.get(`${partition} `);
}
