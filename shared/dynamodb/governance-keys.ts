import type { KeyOwner } from "./key-owner.ts";

/** Prefixes of sort keys; part of `keyPrefixes`. */
export const governancePrefixes = {
  toolCall: "tool-call#",
  investigation: "investigation#",
  investigationReplay: "replay#",
  incidentUpdate: "update#",
};

/** Primary keys of names of SCIM, policies, approvals, exports, deletions, budgets, storage, tools, event endpoints, investigations, Slack and the OpenAI-compatible API; part of `keys`. */
export const governanceKeys = {
  policy: (tenant: string) => ({ pk: `${tenant}#policy`, sk: "policy" }),

  approval: (tenant: string, approval: string) => ({ pk: `${tenant}#approvals`, sk: approval }),
  /** Entry in the requesting user's list of approvals. */
  ownApproval: (tenant: string, user: string, approval: string) => ({
    pk: `${tenant}#user#${user}#approvals`,
    sk: approval,
  }),

  export: (tenant: string, user: string, id: string) => ({ pk: `${tenant}#user#${user}#exports`, sk: id }),
  /** Entry for an archive while it is being built, so that a user has one at a time. */
  pendingExport: (tenant: string, user: string) => ({
    pk: `${tenant}#user#${user}#pending-export`,
    sk: "pending-export",
  }),
  /** Part of the text of an export, which exceeds one item. */
  exportSegment: (tenant: string, id: string, index: number) => ({
    pk: `${tenant}#export#${id}`,
    sk: String(index).padStart(6, "0"),
  }),

  /** Reservation that makes a SCIM user name or external id unique; it contains the id of the user. */
  scimName: (tenant: string, kind: "user-name" | "external-id", name: string) => ({
    pk: `${tenant}#scim-names`,
    sk: `${kind}#${name}`,
  }),

  issuer: (tenant: string, issuer: string) => ({ pk: `${tenant}#issuers`, sk: issuer }),
  /** Identity provider of a tenant by a hash of issuer and audience, read before the tenant is known. */
  issuerLookup: (hash: string) => ({ pk: `~issuer#${hash}`, sk: "issuer" }),

  invitation: (tenant: string, invitation: string) => ({ pk: `${tenant}#invitations`, sk: invitation }),

  deletion: (tenant: string, deletion: string) => ({ pk: `${tenant}#deletions`, sk: deletion }),

  /** Call of a tool server, in the partition of its conversation, in order of the calls' start. */
  toolCall: (tenant: string, conversation: string, call: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `${governancePrefixes.toolCall}${call}`,
  }),
  /** Consent of a user to calls of a tool that the user allowed for later calls, too. */
  toolConsent: (tenant: string, user: string, consent: string) => ({
    pk: `${tenant}#user#${user}#tool-consents`,
    sk: consent,
  }),
  /** OAuth tokens of a user, or of the whole tenant, for a tool server. */
  toolToken: (tenant: string, server: string, owner: KeyOwner) => ({
    pk: `${tenant}#tool-server#${server}#tokens`,
    sk: owner,
  }),
  /** Pending sign-in of a user at a tool server's authorization server, by a hash of the OAuth `state`. */
  toolSignIn: (tenant: string, user: string, hash: string) => ({
    pk: `${tenant}#user#${user}#tool-sign-ins`,
    sk: hash,
  }),
  eventEndpoint: (tenant: string, endpoint: string) => ({ pk: `${tenant}#event-endpoints`, sk: endpoint }),
  /** Event to deliver to an endpoint; delivery ids sort by time. */
  eventDelivery: (tenant: string, endpoint: string, delivery: string) => ({
    pk: `${tenant}#event-endpoint#${endpoint}`,
    sk: delivery,
  }),
  /** Pause in the deliveries to an endpoint after its receiver failed. */
  eventPause: (tenant: string, endpoint: string) => ({ pk: `${tenant}#event-pauses`, sk: endpoint }),
  usageCorrection: (tenant: string, correction: string) => ({ pk: `${tenant}#usage-corrections`, sk: correction }),
  budget: (tenant: string, budget: string) => ({ pk: `${tenant}#budgets`, sk: budget }),
  /** Counters of the budgets of the whole tenant, or of one subject such as `user#<id>`. */
  budgetLedger: (tenant: string, ledger: string) => ({ pk: `${tenant}#budget-ledger#${ledger}`, sk: "ledger" }),
  /** Number of a tenant's documents, and total bytes of its documents and attached files. */
  storage: (tenant: string) => ({ pk: `${tenant}#storage`, sk: "storage" }),
  /** Record that a budget reached a threshold in a window, so that the alert is raised once. */
  budgetAlert: (tenant: string, alert: string) => ({ pk: `${tenant}#budget-alerts`, sk: alert }),
  languageModel: (tenant: string, name: string) => ({ pk: `${tenant}#models`, sk: name }),
  toolServer: (tenant: string, server: string) => ({ pk: `${tenant}#tool-servers`, sk: server }),
  /** Investigation in its conversation's partition. */
  investigation: (tenant: string, conversation: string, investigation: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `${governancePrefixes.investigation}${investigation}`,
  }),
  /** Alert, tool result or report that belongs to an investigation. */
  investigationRecord: (tenant: string, investigation: string, record: string) => ({
    pk: `${tenant}#investigation#${investigation}`,
    sk: record,
  }),
  investigationReplay: (tenant: string, investigation: string, replay: string) => ({
    pk: `${tenant}#investigation#${investigation}`,
    sk: `${governancePrefixes.investigationReplay}${replay}`,
  }),
  incidentUpdate: (tenant: string, investigation: string, update: string) => ({
    pk: `${tenant}#investigation#${investigation}`,
    sk: `${governancePrefixes.incidentUpdate}${update}`,
  }),
  /**
   * Investigation that waits until fewer are running; `position` consists of severity and id, so that the oldest critical one
   * is first.
   */
  queuedInvestigation: (tenant: string, position: string) => ({ pk: `${tenant}#investigation-queue`, sk: position }),
  /** Ids of a tenant's running investigations, in one item. */
  runningInvestigations: (tenant: string) => ({ pk: `${tenant}#running-investigations`, sk: "running-investigations" }),
  /** Latest investigation of an incident or service, by a hash of its name. Later alerts of the incident join it. */
  investigationGroup: (tenant: string, hash: string) => ({ pk: `${tenant}#investigation-group#${hash}`, sk: "group" }),
  /** Tokens and cost of the investigations of a channel on one day. */
  investigationBudget: (tenant: string, channel: string, day: string) => ({
    pk: `${tenant}#investigation-budget#${channel}`,
    sk: day,
  }),
  /**
   * Connected Slack workspace by a hash of its id, read before the tenant is known: the URL that Slack calls contains nothing
   * else.
   */
  slackLookup: (workspaceHash: string) => ({ pk: `~slack-workspace#${workspaceHash}`, sk: "slack-workspace" }),
  slackWorkspace: (tenant: string, workspace: string) => ({ pk: `${tenant}#slack-workspaces`, sk: workspace }),
  /** Connected Teams workspace by a hash of its id, read before the tenant is known. */
  teamsLookup: (workspaceHash: string) => ({ pk: `~teams-workspace#${workspaceHash}`, sk: "teams-workspace" }),
  teamsWorkspace: (tenant: string, workspace: string) => ({ pk: `${tenant}#teams-workspaces`, sk: workspace }),
  /** Slack workspace in which the deployment's app is installed, by a hash of Slack's team id. */
  slackTeam: (teamHash: string) => ({ pk: `~slack-team#${teamHash}`, sk: "slack-team" }),
  /** Pending installation of the Slack app that a user started, by a hash of its OAuth `state`. */
  slackInstallation: (tenant: string, user: string, hash: string) => ({
    pk: `${tenant}#user#${user}#slack-installations`,
    sk: hash,
  }),
  /** Deduplication record of a message or button press in a messenger, by its position there: messengers repeat deliveries. */
  messengerEvent: (tenant: string, workspace: string, event: string) => ({
    pk: `${tenant}#slack-events#${workspace}`,
    sk: event,
  }),
  /**
   * Conversation that belongs to a thread of a messenger; `thread` consists of the channel and the thread's id in the
   * messenger.
   */
  messengerThread: (tenant: string, workspace: string, thread: string) => ({
    pk: `${tenant}#slack-threads#${workspace}`,
    sk: thread,
  }),
  /** Link from an account in a messenger to the user that it acts as. */
  messengerLink: (tenant: string, workspace: string, account: string) => ({
    pk: `${tenant}#slack-links#${workspace}`,
    sk: account,
  }),
  /** Account in a messenger that was sent a link to connect to a user, by a hash of the link's token. */
  messengerLinkRequest: (tenant: string, workspace: string, hash: string) => ({
    pk: `${tenant}#slack-link-requests#${workspace}`,
    sk: hash,
  }),
  completion: (tenant: string, completion: string) => ({ pk: `${tenant}#completion#${completion}`, sk: "completion" }),
  /** Request to stop a completion of the OpenAI-compatible API while it is being generated. */
  completionCancellation: (tenant: string, completion: string) => ({
    pk: `${tenant}#completion#${completion}`,
    sk: "cancellation",
  }),
  /** Part of a stored response of the OpenAI-compatible API, which belongs to the API key that created it. */
  openaiResponse: (tenant: string, key: string, response: string, part: number) => ({
    pk: `${tenant}#response#${key}#${response}`,
    sk: String(part).padStart(3, "0"),
  }),
  /** Conversation of the OpenAI-compatible API, which belongs to the API key that created it. */
  openaiConversation: (tenant: string, key: string, conversation: string) => ({
    pk: `${tenant}#openai-conversation#${key}#${conversation}`,
    sk: "conversation",
  }),
  /** Part of an item in a conversation of the OpenAI-compatible API; `position` sorts in the order of the items. */
  openaiConversationItem: (tenant: string, key: string, conversation: string, position: string, part: number) => ({
    pk: `${tenant}#openai-conversation#${key}#${conversation}`,
    sk: `item#${position}#${String(part).padStart(3, "0")}`,
  }),
};
