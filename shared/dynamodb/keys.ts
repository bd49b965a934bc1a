/**
 * Every key of the system. Partition keys, of the table and of every index, begin with the tenant; `#` separates, and
 * neither tenant ids, user ids nor UUIDs can contain it. Partitions that are read before the tenant is known begin
 * with `~`, which no tenant id can.
 */
export const keys = {
  tenant: (tenant: string) => ({ pk: `${tenant}#tenant`, sk: "tenant" }),
  slug: (slug: string) => ({ pk: `~slug#${slug}`, sk: "slug" }),
  user: (tenant: string, user: string) => ({ pk: `${tenant}#user#${user}`, sk: "user" }),

  policy: (tenant: string) => ({ pk: `${tenant}#policy`, sk: "policy" }),

  approval: (tenant: string, approval: string) => ({ pk: `${tenant}#approvals`, sk: approval }),
  /** That an approval is one of the user's own. */
  ownApproval: (tenant: string, user: string, approval: string) => ({
    pk: `${tenant}#user#${user}#approvals`,
    sk: approval,
  }),

  export: (tenant: string, user: string, id: string) => ({ pk: `${tenant}#user#${user}#exports`, sk: id }),
  /** A part of an export's text. */
  exportPiece: (tenant: string, id: string, piece: number) => ({
    pk: `${tenant}#export#${id}`,
    sk: String(piece).padStart(6, "0"),
  }),

  deletion: (tenant: string, deletion: string) => ({ pk: `${tenant}#deletions`, sk: deletion }),

  auditHead: (tenant: string) => ({ pk: `${tenant}#audit`, sk: "head" }),
  auditEvent: (tenant: string, seq: number) => ({
    pk: `${tenant}#audit`,
    sk: `event#${String(seq).padStart(12, "0")}`,
  }),
  /** That a change was noted; `change` is the id of its stream record. */
  auditMark: (tenant: string, change: string) => ({ pk: `${tenant}#audit`, sk: `mark#${change}` }),

  role: (tenant: string, name: string) => ({ pk: `${tenant}#roles`, sk: name }),
  group: (tenant: string, group: string) => ({ pk: `${tenant}#groups`, sk: `group#${group}` }),
  groupName: (tenant: string, name: string) => ({ pk: `${tenant}#groups`, sk: `name#${name}` }),
  /** In the user's own partition: which groups a person is in is known without looking at any group. */
  membership: (tenant: string, user: string, group: string) => ({
    pk: `${tenant}#user#${user}`,
    sk: `group#${group}`,
  }),

  apiKey: (tenant: string, key: string) => ({ pk: `${tenant}#api-keys`, sk: key }),
  embedKey: (tenant: string, key: string) => ({ pk: `${tenant}#embed-keys`, sk: key }),
  /** What a key's text is found by, as long as it opens anything. */
  credential: (hash: string) => ({ pk: `~credential#${hash}`, sk: "credential" }),

  /** One namespace for the deployment: the id alone names a channel's URL. */
  webhookChannel: (channelHash: string) => ({ pk: `~webhook-channel#${channelHash}`, sk: "webhook-channel" }),
  webhook: (tenant: string, channel: string) => ({ pk: `${tenant}#webhooks`, sk: channel }),
  /** What makes a delivery the same as another one, and which message it became. */
  delivery: (tenant: string, channel: string, fingerprint: string) => ({
    pk: `${tenant}#webhook#${channel}`,
    sk: `delivery#${fingerprint}`,
  }),
  /** The message that the first event of an incident became: the later ones are replies to it. */
  incident: (tenant: string, channel: string, incident: string) => ({
    pk: `${tenant}#webhook#${channel}`,
    sk: `incident#${incident}`,
  }),

  conversation: (tenant: string, conversation: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: "conversation",
  }),
  message: (tenant: string, conversation: string, message: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `message#${message}`,
  }),
  grant: (tenant: string, conversation: string, user: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `grant#${user}`,
  }),

  /** What makes a conversation that of a website's visitor. */
  embedSession: (tenant: string, conversation: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: "embed-session",
  }),

  shareLink: (tenant: string, conversation: string, link: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `link#${link}`,
  }),
  /** What the token of a link is found by, as long as it shows anything. */
  sharedView: (hash: string) => ({ pk: `~shared-view#${hash}`, sk: "shared-view" }),

  revision: (tenant: string, conversation: string, message: string, replacedAt: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `revision#${message}#${replacedAt}`,
  }),

  folder: (tenant: string, user: string, folder: string) => ({
    pk: `${tenant}#user#${user}#folders`,
    sk: `folder#${folder}`,
  }),
  folderName: (tenant: string, user: string, parent: string | null, name: string) => ({
    pk: `${tenant}#user#${user}#folders`,
    sk: `name#${parent ?? ""}#${name}`,
  }),
  /** A conversation in a folder: what is to be moved when the folder goes. */
  folderEntry: (tenant: string, folder: string, conversation: string) => ({
    pk: `${tenant}#folder#${folder}`,
    sk: conversation,
  }),

  template: (tenant: string, template: string) => ({ pk: `${tenant}#templates`, sk: template }),

  /** With its conversation: one for each person and message. */
  feedback: (tenant: string, conversation: string, message: string, user: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `feedback#${message}#${user}`,
  }),
  /** The same again in the tenant's list. */
  listedFeedback: (tenant: string, feedback: string) => ({ pk: `${tenant}#feedback`, sk: feedback }),

  persona: (tenant: string, persona: string) => ({ pk: `${tenant}#personas`, sk: persona }),
  /** A published persona by what it is called on the OpenAI-compatible surface. */
  endpoint: (tenant: string, slug: string) => ({ pk: `${tenant}#endpoints`, sk: slug }),

  run: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "run" }),
  /** What others want of a run, and its sign of life; there is none for most runs. */
  runControl: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "control" }),
  /** What is needed to go on with a run that waits for somebody's word. */
  pausedRun: (tenant: string, message: string) => ({ pk: `${tenant}#run#${message}`, sk: "paused" }),
  runLog: (tenant: string, message: string, firstSeq: number) => ({
    pk: `${tenant}#run#${message}`,
    sk: `log#${String(firstSeq).padStart(8, "0")}`,
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
    sk: `document#${document}`,
  }),
  documentSource: (tenant: string, document: string, part: number) => ({
    pk: `${tenant}#document#${document}`,
    sk: `source#${part}`,
  }),

  /** The search index. `audience` is who may read what is in it: `tenant` or `user#<id>`. */
  indexStatistics: (tenant: string, audience: string) => ({ pk: `${tenant}#index#${audience}`, sk: "statistics" }),
  passage: (tenant: string, audience: string, passage: number) => ({
    pk: `${tenant}#passages#${audience}#${passage >>> 8}`,
    sk: String(passage & 255).padStart(3, "0"),
  }),
  /** A block of the passages with a term; `from` is the rank of the first one that belongs there. */
  postings: (tenant: string, audience: string, term: string, from: string) => ({
    pk: `${tenant}#postings#${audience}#${term}`,
    sk: from,
  }),

  /** `owner` is `tenant` or `user#<id>`. */
  memory: (tenant: string, owner: string, memory: string) => ({ pk: `${tenant}#memories#${owner}`, sk: memory }),
  note: (tenant: string, user: string, note: string) => ({ pk: `${tenant}#notes#${user}`, sk: note }),

  /** What was used in a day by one subject; `shard` spreads a busy tenant. */
  usage: (tenant: string, shard: number, place: string) => ({ pk: `${tenant}#usage#${shard}`, sk: place }),
  /** That an answer was counted, by a hash of its id. */
  counted: (tenant: string, hash: string) => ({ pk: `${tenant}#counted#${hash}`, sk: "counted" }),
  completion: (tenant: string, completion: string) => ({ pk: `${tenant}#completion#${completion}`, sk: "completion" }),

  /** The answer to a request with an `Idempotency-Key`; `request` is a hash of who asked what with which key. */
  idempotency: (tenant: string, request: string) => ({ pk: `${tenant}#idempotency#${request}`, sk: "idempotency" }),
  /** What of an answer is too long for one item. */
  idempotencyPart: (tenant: string, request: string, part: number) => ({
    pk: `${tenant}#idempotency#${request}`,
    sk: `part#${String(part).padStart(3, "0")}`,
  }),

  /** One counter per allowance and minute; `owner` is whose allowance it is, `shard` spreads a big one. */
  rate: (tenant: string, owner: string, shard: number, minute: number) => ({
    pk: `${tenant}#rate#${owner}#${shard}`,
    sk: String(minute),
  }),
  /** `hash` is of a client address or of a link's token: neither is kept. */
  openRate: (kind: string, hash: string, minute: number) => ({
    pk: `~rate#${kind}#${hash}`,
    sk: String(minute),
  }),
};

/** Every key of the system's indexes. */
export const indexKeys = {
  userOfTenant: (tenant: string, user: string) => ({ gsi1pk: `${tenant}#users`, gsi1sk: user }),
  /** What was changed about something, in the order of the chain. */
  auditByTarget: (tenant: string, target: string, seq: number) => ({
    gsi1pk: `${tenant}#audit-of#${target}`,
    gsi1sk: String(seq).padStart(12, "0"),
  }),
  /** Approvals by how they stand. */
  approvalByStatus: (tenant: string, status: string, approval: string) => ({
    gsi1pk: `${tenant}#approvals#${status}`,
    gsi1sk: approval,
  }),
  /** A user's conversations, and those shared with the user, by activity. */
  conversationByActivity: (tenant: string, user: string, lastActivityAt: string) => ({
    gsi1pk: `${tenant}#user#${user}#conversations`,
    gsi1sk: lastActivityAt,
  }),
  /** Personas that nobody but their owner sees, and all others of the tenant, in the order of their making. */
  privatePersona: (tenant: string, owner: string, persona: string) => ({
    gsi1pk: `${tenant}#user#${owner}#personas`,
    gsi1sk: persona,
  }),
  sharedPersona: (tenant: string, persona: string) => ({ gsi1pk: `${tenant}#shared-personas`, gsi1sk: persona }),
  /** A channel's deliveries, in the order they came in. */
  deliveries: (tenant: string, channel: string, receivedAt: string) => ({
    gsi1pk: `${tenant}#webhook#${channel}#deliveries`,
    gsi1sk: receivedAt,
  }),
  /** The channels that post into a conversation. */
  conversationWebhooks: (tenant: string, conversation: string, channel: string) => ({
    gsi1pk: `${tenant}#conversation#${conversation}#webhooks`,
    gsi1sk: channel,
  }),
  /** Templates that nobody but their owner finds, and those of the tenant. */
  privateTemplate: (tenant: string, owner: string, template: string) => ({
    gsi1pk: `${tenant}#user#${owner}#templates`,
    gsi1sk: template,
  }),
  sharedTemplate: (tenant: string, template: string) => ({ gsi1pk: `${tenant}#shared-templates`, gsi1sk: template }),
  ownFeedback: (tenant: string, user: string, feedback: string) => ({
    gsi1pk: `${tenant}#user#${user}#feedback`,
    gsi1sk: feedback,
  }),
  /** The replies to a message, in the order of their making. */
  replies: (tenant: string, parent: string, message: string) => ({
    gsi1pk: `${tenant}#replies#${parent}`,
    gsi1sk: message,
  }),
  /** The collections an audience may read, in the order of their making. */
  collectionByAudience: (tenant: string, audience: string, collection: string) => ({
    gsi1pk: `${tenant}#collections#${audience}`,
    gsi1sk: collection,
  }),
  /** What is remembered about a person, a conversation, a persona or the tenant; the active ones stand together. */
  memoryBySubject: (tenant: string, scope: string, scopeId: string, place: string) => ({
    gsi1pk: `${tenant}#memories-of#${scope}#${scopeId}`,
    gsi1sk: place,
  }),
  /** Notes attached to a conversation, by author. */
  noteByConversation: (tenant: string, conversation: string, user: string, note: string) => ({
    gsi1pk: `${tenant}#notes-of#${conversation}`,
    gsi1sk: `${user}#${note}`,
  }),
};
