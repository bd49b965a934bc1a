import type { KeyOwner } from "./key-owner.ts";

/** Prefixes of sort keys; part of `keyPrefixes`. */
export const governancePrefixes = {
  toolCall: "tool-call#",
  investigation: "investigation#",
  investigationReplay: "replay#",
  incidentUpdate: "update#",
};

/** Endpoint of the deliveries to the metering service of the deployment, which every tenant has. */
export const METERING_ENDPOINT = "metering";

/** Endpoint of the rows of usage files, which every tenant has. */
export const USAGE_FILE_ENDPOINT = "usage-file";

/** Primary keys of names of SCIM, policies, approvals, exports, deletions, budgets, storage, tools, event endpoints, investigations, Slack and the OpenAI-compatible API; part of `keys`. */
export const governanceKeys = {
  policy: (tenant: string) => ({ pk: `${tenant}#policy`, sk: "policy" }),

  approval: (tenant: string, approval: string) => ({ pk: `${tenant}#approvals`, sk: approval }),
  /** Reference to an approval in the partition of the user who requested it. */
  ownApproval: (tenant: string, user: string, approval: string) => ({
    pk: `${tenant}#user#${user}#approvals`,
    sk: approval,
  }),

  export: (tenant: string, user: string, id: string) => ({ pk: `${tenant}#user#${user}#exports`, sk: id }),
  /** Reference to the archive that is being built for a user. */
  pendingExport: (tenant: string, user: string) => ({
    pk: `${tenant}#user#${user}#pending-export`,
    sk: "pending-export",
  }),
  /** Segment of an export's text. */
  exportSegment: (tenant: string, id: string, index: number) => ({
    pk: `${tenant}#export#${id}`,
    sk: String(index).padStart(6, "0"),
  }),

  /** Reservation of a user name or external id of SCIM, with the id of its user. */
  scimName: (tenant: string, kind: "user-name" | "external-id", name: string) => ({
    pk: `${tenant}#scim-names`,
    sk: `${kind}#${name}`,
  }),

  issuer: (tenant: string, issuer: string) => ({ pk: `${tenant}#issuers`, sk: issuer }),
  /** Lookup of the identity provider of a tenant by a hash of issuer and audience. */
  issuerLookup: (hash: string) => ({ pk: `~issuer#${hash}`, sk: "issuer" }),

  invitation: (tenant: string, invitation: string) => ({ pk: `${tenant}#invitations`, sk: invitation }),

  deletion: (tenant: string, deletion: string) => ({ pk: `${tenant}#deletions`, sk: deletion }),

  /** Call of a tool server in its conversation's partition, in order of their start. */
  toolCall: (tenant: string, conversation: string, call: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `${governancePrefixes.toolCall}${call}`,
  }),
  /** Remembered consent of a user to calls of a tool. */
  toolConsent: (tenant: string, user: string, consent: string) => ({
    pk: `${tenant}#user#${user}#tool-consents`,
    sk: consent,
  }),
  /** Tokens of an owner for a tool server. */
  toolToken: (tenant: string, server: string, owner: KeyOwner) => ({
    pk: `${tenant}#tool-server#${server}#tokens`,
    sk: owner,
  }),
  /** Sign-in of a user that has not returned from the authorization server, by a hash of its state. */
  toolSignIn: (tenant: string, user: string, hash: string) => ({
    pk: `${tenant}#user#${user}#tool-sign-ins`,
    sk: hash,
  }),
  eventEndpoint: (tenant: string, endpoint: string) => ({ pk: `${tenant}#event-endpoints`, sk: endpoint }),
  /** Event for an endpoint; the ids of deliveries are in the order of time. */
  eventDelivery: (tenant: string, endpoint: string, delivery: string) => ({
    pk: `${tenant}#event-endpoint#${endpoint}`,
    sk: delivery,
  }),
  /** Pause of an endpoint whose receiver does not answer. */
  eventPause: (tenant: string, endpoint: string) => ({ pk: `${tenant}#event-pauses`, sk: endpoint }),
  usageCorrection: (tenant: string, correction: string) => ({ pk: `${tenant}#usage-corrections`, sk: correction }),
  budget: (tenant: string, budget: string) => ({ pk: `${tenant}#budgets`, sk: budget }),
  /** Counters of budgets: those of the tenant, or of one subject such as `user#<id>`. */
  budgetLedger: (tenant: string, ledger: string) => ({ pk: `${tenant}#budget-ledger#${ledger}`, sk: "ledger" }),
  /** Number and bytes of what a tenant stores. */
  storage: (tenant: string) => ({ pk: `${tenant}#storage`, sk: "storage" }),
  /** Record that a budget reached a threshold in a window. */
  budgetAlert: (tenant: string, alert: string) => ({ pk: `${tenant}#budget-alerts`, sk: alert }),
  languageModel: (tenant: string, name: string) => ({ pk: `${tenant}#models`, sk: name }),
  toolServer: (tenant: string, server: string) => ({ pk: `${tenant}#tool-servers`, sk: server }),
  /** Investigation in its conversation's partition. */
  investigation: (tenant: string, conversation: string, investigation: string) => ({
    pk: `${tenant}#conversation#${conversation}`,
    sk: `${governancePrefixes.investigation}${investigation}`,
  }),
  /** Alert, tool result or report of an investigation. */
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
  /** Investigation that waits for a place; `position` is its severity and id, so that the oldest critical one is first. */
  queuedInvestigation: (tenant: string, position: string) => ({ pk: `${tenant}#investigation-queue`, sk: position }),
  /** Investigations of a tenant that are running. */
  runningInvestigations: (tenant: string) => ({ pk: `${tenant}#running-investigations`, sk: "running-investigations" }),
  /** Latest investigation of an incident or service, by a hash of its name; later alerts join it. */
  investigationGroup: (tenant: string, hash: string) => ({ pk: `${tenant}#investigation-group#${hash}`, sk: "group" }),
  /** Tokens and cost of the investigations of a channel on one day. */
  investigationBudget: (tenant: string, channel: string, day: string) => ({
    pk: `${tenant}#investigation-budget#${channel}`,
    sk: day,
  }),
  /** Lookup of a workspace, whose address contains nothing but its id. */
  slackLookup: (workspaceHash: string) => ({ pk: `~slack-workspace#${workspaceHash}`, sk: "slack-workspace" }),
  slackWorkspace: (tenant: string, workspace: string) => ({ pk: `${tenant}#slack-workspaces`, sk: workspace }),
  /** Lookup of a workspace of Teams, as those of Slack. */
  teamsLookup: (workspaceHash: string) => ({ pk: `~teams-workspace#${workspaceHash}`, sk: "teams-workspace" }),
  teamsWorkspace: (tenant: string, workspace: string) => ({ pk: `${tenant}#teams-workspaces`, sk: workspace }),
  /** Lookup of the workspace in which the app of the deployment is installed. */
  slackTeam: (teamHash: string) => ({ pk: `~slack-team#${teamHash}`, sk: "slack-team" }),
  /** Installation that a user has started, by a hash of its state. */
  slackInstallation: (tenant: string, user: string, hash: string) => ({
    pk: `${tenant}#user#${user}#slack-installations`,
    sk: hash,
  }),
  /** Message or button press, by its place in the messenger, so that a repeated delivery finds it. Names are of the first one, Slack. */
  messengerEvent: (tenant: string, workspace: string, event: string) => ({
    pk: `${tenant}#slack-events#${workspace}`,
    sk: event,
  }),
  /** Conversation of a thread; `thread` is its channel and its id there. */
  messengerThread: (tenant: string, workspace: string, thread: string) => ({
    pk: `${tenant}#slack-threads#${workspace}`,
    sk: thread,
  }),
  /** User as whom an account of a messenger acts. */
  messengerLink: (tenant: string, workspace: string, account: string) => ({
    pk: `${tenant}#slack-links#${workspace}`,
    sk: account,
  }),
  /** Account of a messenger that was sent a link, by a hash of the token. */
  messengerLinkRequest: (tenant: string, workspace: string, hash: string) => ({
    pk: `${tenant}#slack-link-requests#${workspace}`,
    sk: hash,
  }),
  completion: (tenant: string, completion: string) => ({ pk: `${tenant}#completion#${completion}`, sk: "completion" }),
  /** Request to stop a completion that is being generated. */
  completionCancellation: (tenant: string, completion: string) => ({
    pk: `${tenant}#completion#${completion}`,
    sk: "cancellation",
  }),
  /** Part of the conversation of a response, which belongs to an API key. */
  openaiResponse: (tenant: string, key: string, response: string, part: number) => ({
    pk: `${tenant}#response#${key}#${response}`,
    sk: String(part).padStart(3, "0"),
  }),
  /** Conversation of an API key. */
  openaiConversation: (tenant: string, key: string, conversation: string) => ({
    pk: `${tenant}#openai-conversation#${key}#${conversation}`,
    sk: "conversation",
  }),
  /** Part of an item of a conversation; positions are in the order of the items. */
  openaiConversationItem: (tenant: string, key: string, conversation: string, position: string, part: number) => ({
    pk: `${tenant}#openai-conversation#${key}#${conversation}`,
    sk: `item#${position}#${String(part).padStart(3, "0")}`,
  }),
};
