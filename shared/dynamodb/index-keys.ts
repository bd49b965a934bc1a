import type { KeyOwner } from "./key-owner.ts";

/** Keys of all items in the global secondary index. Partition keys start with the tenant id, except that of the list of tenants. */
export const indexKeys = {
  /** Entry of a tenant in the list of all tenants, in order of their ids. */
  tenantOfDeployment: (tenant: string) => ({ gsi1pk: "~deployment#tenants", gsi1sk: tenant }),
  userOfTenant: (tenant: string, user: string) => ({ gsi1pk: `${tenant}#users`, gsi1sk: user }),
  /** Audit events about one target, in the order of the audit chain. */
  auditByTarget: (tenant: string, target: string, seq: number) => ({
    gsi1pk: `${tenant}#audit-of#${target}`,
    gsi1sk: String(seq).padStart(12, "0"),
  }),
  /** Approvals of a tenant with one status, in creation order. */
  approvalByStatus: (tenant: string, status: string, approval: string) => ({
    gsi1pk: `${tenant}#approvals#${status}`,
    gsi1sk: approval,
  }),
  /** Conversations that a user owns or has a grant for, by last activity. */
  conversationByActivity: (tenant: string, user: string, lastActivityAt: string) => ({
    gsi1pk: `${tenant}#user#${user}#conversations`,
    gsi1sk: lastActivityAt,
  }),
  /** Private personas of a user, in creation order. */
  privatePersona: (tenant: string, owner: string, persona: string) => ({
    gsi1pk: `${tenant}#user#${owner}#personas`,
    gsi1sk: persona,
  }),
  /** Personas that are visible to the whole tenant, in creation order. */
  sharedPersona: (tenant: string, persona: string) => ({ gsi1pk: `${tenant}#shared-personas`, gsi1sk: persona }),
  /** Share links of the conversations of a user, in creation order. */
  shareLinkOfUser: (tenant: string, user: string, link: string) => ({
    gsi1pk: `${tenant}#user#${user}#share-links`,
    gsi1sk: link,
  }),
  /** Webhook deliveries of a channel, in order of receipt. */
  deliveries: (tenant: string, channel: string, receivedAt: string) => ({
    gsi1pk: `${tenant}#webhook#${channel}#deliveries`,
    gsi1sk: receivedAt,
  }),
  /** Webhook channels that post into a conversation. */
  conversationWebhooks: (tenant: string, conversation: string, channel: string) => ({
    gsi1pk: `${tenant}#conversation#${conversation}#webhooks`,
    gsi1sk: channel,
  }),
  /** Investigations of a tenant, in order of their start. */
  investigations: (tenant: string, investigation: string) => ({
    gsi1pk: `${tenant}#investigations`,
    gsi1sk: investigation,
  }),
  /** Sessions of the visitors of one website, identified by its embed key, in order of their start. */
  visitorSession: (tenant: string, key: string, conversation: string) => ({
    gsi1pk: `${tenant}#visitor-sessions`,
    gsi1sk: `${key}#${conversation}`,
  }),
  /** Questions of one website's visitors with the same status, in order of the time at which they were last asked. */
  visitorQuestionByTime: (tenant: string, key: string, status: string, lastAskedAt: string, question: string) => ({
    gsi1pk: `${tenant}#visitor-questions-of#${key}#${status}`,
    gsi1sk: `${lastAskedAt}#${question}`,
  }),
  /** Private templates of a user. */
  privateTemplate: (tenant: string, owner: string, template: string) => ({
    gsi1pk: `${tenant}#user#${owner}#templates`,
    gsi1sk: template,
  }),
  /** Templates that are visible to the whole tenant. */
  sharedTemplate: (tenant: string, template: string) => ({ gsi1pk: `${tenant}#shared-templates`, gsi1sk: template }),
  ownFeedback: (tenant: string, user: string, feedback: string) => ({
    gsi1pk: `${tenant}#user#${user}#feedback`,
    gsi1sk: feedback,
  }),
  /** Messenger accounts that are linked to a user. */
  ownMessengerLinks: (tenant: string, user: string, link: string) => ({
    gsi1pk: `${tenant}#user#${user}#slack-links`,
    gsi1sk: link,
  }),
  /** Replies in the thread of a message, in creation order. */
  replies: (tenant: string, parent: string, message: string) => ({
    gsi1pk: `${tenant}#replies#${parent}`,
    gsi1sk: message,
  }),
  /** Collections that an audience may read, in creation order. */
  collectionByAudience: (tenant: string, audience: KeyOwner, collection: string) => ({
    gsi1pk: `${tenant}#collections#${audience}`,
    gsi1sk: collection,
  }),
  /** Memories about a user, a conversation, a persona or the tenant; `position` sorts active ones next to each other. */
  memoryBySubject: (tenant: string, scope: string, scopeId: string, position: string) => ({
    gsi1pk: `${tenant}#memories-of#${scope}#${scopeId}`,
    gsi1sk: position,
  }),
  /** Notes attached to a conversation, by author. */
  noteByConversation: (tenant: string, conversation: string, user: string, note: string) => ({
    gsi1pk: `${tenant}#notes-of#${conversation}`,
    gsi1sk: `${user}#${note}`,
  }),
};
