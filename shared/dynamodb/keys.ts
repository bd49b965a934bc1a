import { governanceKeys, governancePrefixes } from "./governance-keys.ts";
import type { KeyOwner } from "./key-owner.ts";

/**
 * Prefixes of sort keys. Items of several types share a partition, and stores query one type by its prefix.
 */
export const keyPrefixes = {
  ...governancePrefixes,
  auditEvent: "event#",
  auditMark: "mark#",
  group: "group#",
  groupName: "name#",
  membership: "group#",
  delivery: "delivery#",
  incident: "incident#",
  attachment: "attachment#",
  message: "message#",
  grant: "grant#",
  shareLink: "link#",
  revision: "revision#",
  summary: "summary#",
  feedback: "feedback#",
  folder: "folder#",
  folderName: "name#",
  runLog: "log#",
  document: "document#",
  documentSource: "source#",
  knowledgeImport: "import#",
  importTimer: "import-timer#",
  idempotencyPart: "part#",
} as const;

/** Key of an item in the partition of a conversation. */
const inConversation = (tenant: string, conversation: string, sk: string) => ({
  pk: `${tenant}#conversation#${conversation}`,
  sk,
});

/**
 * Primary keys of all items; `item-types.ts` lists the item types and `index-keys.ts` the index keys. Partition keys start
 * with the tenant id, and `#` separates their parts: tenant ids, user ids (`shared/api/user-ids.ts`) and UUIDs cannot contain it. Partitions that are
 * read before the tenant is known start with `~`, which a tenant id cannot contain.
 */
export const keys = {
  tenant: (tenant: string) => ({ pk: `${tenant}#tenant`, sk: "tenant" }),
  slug: (slug: string) => ({ pk: `~slug#${slug}`, sk: "slug" }),
  user: (tenant: string, user: string) => ({ pk: `${tenant}#user#${user}`, sk: "user" }),

  ...governanceKeys,

  auditHead: (tenant: string) => ({ pk: `${tenant}#audit`, sk: "head" }),
  auditEvent: (tenant: string, seq: number) => ({
    pk: `${tenant}#audit`,
    sk: `${keyPrefixes.auditEvent}${String(seq).padStart(12, "0")}`,
  }),
  /**
   * Marker that a change is already in the audit chain; `change` is the id of its stream record, which can be delivered
   * again.
   */
  auditMark: (tenant: string, change: string) => ({
    pk: `${tenant}#audit`,
    sk: `${keyPrefixes.auditMark}${change}`,
  }),

  role: (tenant: string, name: string) => ({ pk: `${tenant}#roles`, sk: name }),
  group: (tenant: string, group: string) => ({ pk: `${tenant}#groups`, sk: `${keyPrefixes.group}${group}` }),
  groupName: (tenant: string, name: string) => ({ pk: `${tenant}#groups`, sk: `${keyPrefixes.groupName}${name}` }),
  /** Membership in the user's partition, so that one query returns a user's groups. */
  membership: (tenant: string, user: string, group: string) => ({
    pk: `${tenant}#user#${user}`,
    sk: `${keyPrefixes.membership}${group}`,
  }),

  apiKey: (tenant: string, key: string) => ({ pk: `${tenant}#api-keys`, sk: key }),
  embedKey: (tenant: string, key: string) => ({ pk: `${tenant}#embed-keys`, sk: key }),
  /** Lookup of an API key or embed key by the hash of its text; deleted when the key is revoked. */
  credential: (hash: string) => ({ pk: `~credential#${hash}`, sk: "credential" }),

  /** Lookup of a webhook channel. Channel ids are unique within the deployment, because the URL contains nothing else. */
  webhookChannel: (channelHash: string) => ({ pk: `~webhook-channel#${channelHash}`, sk: "webhook-channel" }),
  webhook: (tenant: string, channel: string) => ({ pk: `${tenant}#webhooks`, sk: channel }),
  /** Deduplication record of a webhook delivery; contains the message that was created from it. */
  delivery: (tenant: string, channel: string, fingerprint: string) => ({
    pk: `${tenant}#webhook#${channel}`,
    sk: `${keyPrefixes.delivery}${fingerprint}`,
  }),
  /** Record of an incident; refers to the message of its first alert, to which later alerts become replies. */
  incident: (tenant: string, channel: string, incident: string) => ({
    pk: `${tenant}#webhook#${channel}`,
    sk: `${keyPrefixes.incident}${incident}`,
  }),

  conversation: (tenant: string, conversation: string) => inConversation(tenant, conversation, "conversation"),
  message: (tenant: string, conversation: string, message: string) =>
    inConversation(tenant, conversation, `${keyPrefixes.message}${message}`),
  attachment: (tenant: string, conversation: string, attachment: string) =>
    inConversation(tenant, conversation, `${keyPrefixes.attachment}${attachment}`),
  grant: (tenant: string, conversation: string, user: string) =>
    inConversation(tenant, conversation, `${keyPrefixes.grant}${user}`),

  /** Marks a conversation as the session of a widget visitor. */
  embedSession: (tenant: string, conversation: string) => inConversation(tenant, conversation, "embed-session"),
  /** Question that visitors of a website asked without getting a good answer; `question` is a hash of its significant words. */
  visitorQuestion: (tenant: string, key: string, question: string) => ({
    pk: `${tenant}#visitor-questions`,
    sk: `${key}#${question}`,
  }),

  shareLink: (tenant: string, conversation: string, link: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `${keyPrefixes.shareLink}${link}`,
  }),
  /** Lookup of a share link by the hash of its token; deleted when the link is revoked. */
  sharedView: (hash: string) => ({ pk: `~shared-view#${hash}`, sk: "shared-view" }),

  /** Summary of a branch of a conversation; `until` is the last message that it covers. */
  summary: (tenant: string, conversation: string, until: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `${keyPrefixes.summary}${until}`,
  }),
  revision: (tenant: string, conversation: string, message: string, replacedAt: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `${keyPrefixes.revision}${message}#${replacedAt}`,
  }),

  folder: (tenant: string, user: string, folder: string) => ({
    pk: `${tenant}#user#${user}#folders`,
    sk: `${keyPrefixes.folder}${folder}`,
  }),
  folderName: (tenant: string, user: string, parent: string | null, name: string) => ({
    pk: `${tenant}#user#${user}#folders`,
    sk: `${keyPrefixes.folderName}${parent ?? ""}#${name}`,
  }),
  /** Entry of a conversation in a folder. Deleting the folder moves these conversations. */
  folderEntry: (tenant: string, folder: string, conversation: string) => ({
    pk: `${tenant}#folder#${folder}`,
    sk: conversation,
  }),

  template: (tenant: string, template: string) => ({ pk: `${tenant}#templates`, sk: template }),

  /** Feedback of a user on a message, in the partition of the conversation; one per user and message. */
  feedback: (tenant: string, conversation: string, message: string, user: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `${keyPrefixes.feedback}${message}#${user}`,
  }),
  /** Copy of a feedback in the tenant's list of all feedback. */
  listedFeedback: (tenant: string, feedback: string) => ({ pk: `${tenant}#feedback`, sk: feedback }),

  persona: (tenant: string, persona: string) => ({ pk: `${tenant}#personas`, sk: persona }),
  /** Published persona, by its model name in the OpenAI-compatible API. */
  endpoint: (tenant: string, slug: string) => ({ pk: `${tenant}#endpoints`, sk: slug }),

  run: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "run" }),
  /** Request to stop a run, and the lease of the process that generates it. Most runs have no such item. */
  runControl: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "control" }),
  /** State that is needed to resume a run that is paused for an approval. */
  pausedRun: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "paused" }),
  runLog: (tenant: string, message: string, firstSeq: number) => ({
    pk: `${tenant}#run#${message}`,
    sk: `${keyPrefixes.runLog}${String(firstSeq).padStart(8, "0")}`,
  }),

  collection: (tenant: string, collection: string) => ({
    pk: `${tenant}#collection#${collection}`,
    sk: "collection",
  }),
  collectionName: (tenant: string, name: string) => ({
    pk: `${tenant}#collection-name#${name}`,
    sk: "collection-name",
  }),
  document: (tenant: string, collection: string, document: string) => ({
    pk: `${tenant}#collection#${collection}`,
    sk: `${keyPrefixes.document}${document}`,
  }),
  knowledgeImport: (tenant: string, collection: string, id: string) => ({
    pk: `${tenant}#collection#${collection}`,
    sk: `${keyPrefixes.knowledgeImport}${id}`,
  }),
  /** Number of imports of a tenant that are in progress. */
  runningImports: (tenant: string) => ({ pk: `${tenant}#running-imports`, sk: "running-imports" }),
  /** Timer of an import. When DynamoDB expires this item, the rule `refresh-import` runs the import again. */
  importTimer: (tenant: string, collection: string, id: string) => ({
    pk: `${tenant}#collection#${collection}`,
    sk: `${keyPrefixes.importTimer}${id}`,
  }),
  /** Part of the text of a version of a document. */
  documentSource: (tenant: string, document: string, version: number, part: number) => ({
    pk: `${tenant}#document#${document}`,
    sk: `${keyPrefixes.documentSource}${version}#${String(part).padStart(3, "0")}`,
  }),

  /** Position of a message in the search index of its owner's messages. */
  indexedMessage: (tenant: string, message: string) => ({ pk: `${tenant}#indexed-message#${message}`, sk: "place" }),
  /** Statistics of the search index of one audience. */
  indexStatistics: (tenant: string, audience: KeyOwner) => ({ pk: `${tenant}#index#${audience}`, sk: "statistics" }),
  passage: (tenant: string, audience: KeyOwner, passage: number) => ({
    pk: `${tenant}#passages#${audience}#${passage >>> 8}`,
    sk: String(passage & 255).padStart(3, "0"),
  }),
  /** Progress of the job that computes vectors for the passages of an audience. */
  vectorState: (tenant: string, audience: KeyOwner) => ({ pk: `${tenant}#index#${audience}`, sk: "vectors" }),
  /** Binary codes of the vectors of consecutive passages in one embedding space. */
  vectorCodes: (tenant: string, audience: KeyOwner, space: string, partition: number, page: number) => ({
    pk: `${tenant}#vectors#${audience}#${space}#${partition}`,
    sk: String(page).padStart(6, "0"),
  }),
  /** Block of the posting list of a term; `from` is the lowest rank that the block can contain. */
  postings: (tenant: string, audience: KeyOwner, term: string, from: string) => ({
    pk: `${tenant}#postings#${audience}#${term}`,
    sk: from,
  }),

  memory: (tenant: string, owner: string, memory: string) => ({ pk: `${tenant}#memories#${owner}`, sk: memory }),
  note: (tenant: string, user: string, note: string) => ({ pk: `${tenant}#notes#${user}`, sk: note }),

  /** Usage of one subject on one day; `shard` distributes a busy tenant over several partitions. */
  usage: (tenant: string, shard: number, subject: string) => ({ pk: `${tenant}#usage#${shard}`, sk: subject }),
  /** Marker that the usage of a reply was counted, by a hash of the reply's id. */
  counted: (tenant: string, hash: string) => ({ pk: `${tenant}#counted#${hash}`, sk: "counted" }),
  /** Response to a request with an `Idempotency-Key`; `request` is a hash of caller, operation and key. */
  idempotency: (tenant: string, request: string) => ({ pk: `${tenant}#idempotency#${request}`, sk: "idempotency" }),
  /** Continuation of a stored response that exceeds one item. */
  idempotencyPart: (tenant: string, request: string, part: number) => ({
    pk: `${tenant}#idempotency#${request}`,
    sk: `${keyPrefixes.idempotencyPart}${String(part).padStart(3, "0")}`,
  }),

  /** Counter of one quota and minute; `shard` distributes a large quota over several partitions. */
  rate: (tenant: string, owner: string, shard: number, minute: number) => ({
    pk: `${tenant}#rate#${owner}#${shard}`,
    sk: String(minute),
  }),
  /** Counter of requests without credentials; `hash` is that of a client address or link token, neither of which is stored. */
  anonymousRate: (kind: string, hash: string, minute: number) => ({ pk: `~rate#${kind}#${hash}`, sk: String(minute) }),
};

/** Returns the sequence number of the first event in a segment of a run log. */
export function parseRunLogKey(sk: string): number {
  return Number(sk.slice(keyPrefixes.runLog.length));
}

export { indexKeys } from "./index-keys.ts";
