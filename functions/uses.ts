import type { Route } from "#shared/api/define-route.ts";
import { attachmentAccess } from "#shared/conversations/attachments/attachment-store.ts";
import { conversationAccess } from "#shared/conversations/conversation-store.ts";
import { feedbackAccess, listedFeedbackAccess } from "#shared/conversations/feedback/feedback-store.ts";
import { folderEntryAccess } from "#shared/conversations/folders/folder-entry-writes.ts";
import { folderAccess, folderNameAccess } from "#shared/conversations/folders/folder-store.ts";
import { revisionAccess } from "#shared/conversations/message-revisions.ts";
import { messageAccess } from "#shared/conversations/message-store.ts";
import { grantAccess } from "#shared/conversations/sharing/grant-store.ts";
import { sharedViewAccess, shareLinkAccess } from "#shared/conversations/sharing/share-link-store.ts";
import { summaryAccess } from "#shared/conversations/summary-store.ts";
import type { ItemAccess } from "#shared/dynamodb/access.ts";
import { healthAccess } from "#shared/dynamodb/database-health.ts";
import { embedSessionAccess } from "#shared/embed/embed-session-store.ts";
import { visitorQuestionAccess } from "#shared/embed/question-store.ts";
import { eventDeliveryAccess } from "#shared/events/delivery-store.ts";
import { eventPauseAccess } from "#shared/events/endpoint-pause.ts";
import { eventEndpointAccess } from "#shared/events/endpoint-store.ts";
import { approvalAccess, ownApprovalAccess } from "#shared/governance/approvals/approval-store.ts";
import { auditEventAccess, auditHeadAccess, auditMarkAccess } from "#shared/governance/audit/audit-store.ts";
import { budgetAlertAccess } from "#shared/governance/budgets/budget-alerts.ts";
import { budgetAccess } from "#shared/governance/budgets/budget-store.ts";
import { budgetLedgerAccess } from "#shared/governance/budgets/ledger-store.ts";
import { deletionAccess } from "#shared/governance/deletion-store.ts";
import { exportAccess, exportSegmentAccess } from "#shared/governance/exports/export-store.ts";
import { pendingExportAccess } from "#shared/governance/exports/start-archive.ts";
import { policyAccess } from "#shared/governance/policy-store.ts";
import { tenantContentAccess } from "#shared/governance/tenant-deletion/tenant-partitions.ts";
import { countedAccess } from "#shared/governance/usage/counted-store.ts";
import { usageCorrectionAccess } from "#shared/governance/usage/usage-corrections.ts";
import { usageAccess } from "#shared/governance/usage/usage-store.ts";
import { idempotencyAccess } from "#shared/http/idempotency/idempotency-store.ts";
import { investigationBudgetAccess } from "#shared/investigations/budget-store.ts";
import { investigationGroupAccess } from "#shared/investigations/group-alerts.ts";
import { investigationAccess } from "#shared/investigations/investigation-store.ts";
import { investigationRecordAccess } from "#shared/investigations/record-store.ts";
import { investigationReplayAccess } from "#shared/investigations/replay-store.ts";
import { queuedInvestigationAccess, runningInvestigationsAccess } from "#shared/investigations/slots.ts";
import { incidentUpdateAccess } from "#shared/investigations/updates/update-store.ts";
import { collectionAccess, collectionNameAccess } from "#shared/knowledge/collection-store.ts";
import { documentSourceAccess } from "#shared/knowledge/document-source-store.ts";
import { documentAccess } from "#shared/knowledge/document-store.ts";
import { importTimerAccess, runningImportsAccess } from "#shared/knowledge/imports/import-runs.ts";
import { knowledgeImportAccess } from "#shared/knowledge/imports/import-store.ts";
import { indexStatisticsAccess, passageAccess } from "#shared/knowledge/index/passage-store.ts";
import { postingsAccess } from "#shared/knowledge/index/posting-store.ts";
import { vectorCodesAccess, vectorStateAccess } from "#shared/knowledge/vectors/code-pages.ts";
import type { ResourceName } from "#shared/lib/resources.ts";
import { memoryAccess } from "#shared/memory/memory-store.ts";
import { noteAccess } from "#shared/memory/note-store.ts";
import { indexedMessageAccess } from "#shared/message-search/indexed-message-store.ts";
import { messengerEventAccess } from "#shared/messengers/event-store.ts";
import { messengerLinkAccess, messengerLinkRequestAccess } from "#shared/messengers/link-store.ts";
import { messengerThreadAccess } from "#shared/messengers/thread-store.ts";
import { completionCancellationAccess } from "#shared/openai/completions/completion-cancellation.ts";
import { completionAccess, idempotencyPartAccess } from "#shared/openai/completions/completion-store.ts";
import { openaiConversationAccess, openaiConversationItemAccess } from "#shared/openai/responses/conversation-store.ts";
import { openaiResponseAccess } from "#shared/openai/responses/response-store.ts";
import { endpointAccess } from "#shared/personas/endpoint-store.ts";
import { personaAccess } from "#shared/personas/persona-store.ts";
import { templateAccess } from "#shared/personas/template-store.ts";
import { languageModelAccess } from "#shared/personas/tenant-model-store.ts";
import { pausedRunAccess } from "#shared/runs/pauses/paused-run-store.ts";
import { runControlAccess } from "#shared/runs/run-control-store.ts";
import { runLogAccess } from "#shared/runs/run-log-store.ts";
import { runAccess } from "#shared/runs/run-store.ts";
import { slackInstallationAccess, slackTeamAccess } from "#shared/slack/app/installation-store.ts";
import { slackLookupAccess, slackWorkspaceAccess } from "#shared/slack/workspace-store.ts";
import { teamsLookupAccess, teamsWorkspaceAccess } from "#shared/teams/workspace-store.ts";
import { apiKeyAccess } from "#shared/tenancy/api-key-store.ts";
import { credentialAccess } from "#shared/tenancy/credential-store.ts";
import { embedKeyAccess } from "#shared/tenancy/embed-key-store.ts";
import { groupAccess, groupNameAccess, membershipAccess } from "#shared/tenancy/group-store.ts";
import { issuerAccess, issuerLookupAccess } from "#shared/tenancy/issuers/issuer-store.ts";
import { invitationAccess } from "#shared/tenancy/members/invitation-store.ts";
import { scimNameAccess } from "#shared/tenancy/members/provisioned-user-store.ts";
import { anonymousRateAccess, rateAccess } from "#shared/tenancy/rate-store.ts";
import { roleAccess } from "#shared/tenancy/role-store.ts";
import { storageAccess } from "#shared/tenancy/storage-store.ts";
import { slugAccess, tenantAccess } from "#shared/tenancy/tenant-store.ts";
import { userAccess } from "#shared/tenancy/user-store.ts";
import { toolCallAccess } from "#shared/tools/call-store.ts";
import { toolConsentAccess } from "#shared/tools/consent-store.ts";
import { toolSignInAccess } from "#shared/tools/oauth/sign-in-store.ts";
import { toolTokenAccess } from "#shared/tools/oauth/token-store.ts";
import { toolServerAccess } from "#shared/tools/server-store.ts";
import { deliveryAccess, incidentAccess } from "#shared/webhooks/delivery-store.ts";
import { webhookAccess, webhookChannelAccess } from "#shared/webhooks/webhook-channel-store.ts";

/** Items and resources that a function uses, from which its IAM rights and environment variables derive. */
export type Uses = readonly (ItemAccess | ResourceName)[];

/** Used by every function behind API Gateway or a function URL. */
const request = ["log", "stage", "table", "originSecret"] satisfies Uses;

const processor = ["log", "stage", "table", "faultQueue"] satisfies Uses;

const job = ["log", "table"] satisfies Uses;

/** Used to find a persona and decide whether the caller can use it, which can depend on groups. */
const personaReader = [groupAccess("getMany"), membershipAccess("query"), personaAccess("get")] satisfies Uses;

/** Used to find the model that a persona names, with its API key if the tenant added it. */
const personaModel = [languageModelAccess("get", "query"), "appSecret", "modelSettings"] satisfies Uses;

const budgetReader = [
  budgetAccess("query"),
  budgetLedgerAccess("get"),
  groupAccess("getMany"),
  membershipAccess("query"),
] satisfies Uses;

/** Used to authorize the caller for a conversation as its owner or by a grant. */
const conversationReader = [conversationAccess("get"), grantAccess("get")] satisfies Uses;

/** Used to determine the caller's rights from roles and groups. */
const rightsReader = [
  groupAccess("getMany"),
  membershipAccess("query"),
  roleAccess("getMany"),
  userAccess("get"),
] satisfies Uses;

/** Used by identity providers that create, change and delete users. */
const provisioning = [
  scimNameAccess("put", "delete"),
  tenantAccess("update"),
  userAccess("put", "update"),
] satisfies Uses;

const newApproval = [approvalAccess("put"), ownApprovalAccess("put")] satisfies Uses;

/** Used to go through all data of a user. */
const ownedResources = [
  approvalAccess("getMany", "query", "queryIndex"),
  collectionAccess("queryIndex"),
  conversationAccess("get", "queryIndex"),
  feedbackAccess("queryIndex"),
  folderAccess("query"),
  memoryAccess("query"),
  messageAccess("query"),
  noteAccess("query"),
  ownApprovalAccess("query"),
  personaAccess("queryIndex"),
  templateAccess("queryIndex"),
] satisfies Uses;

/** Used to call tool servers with the secrets that are stored for them. */
const toolServers = ["appSecret", "toolServers"] satisfies Uses;

/** Used to call tool servers with a user's token, which may have to be refreshed. */
const toolTokens = [...toolServers, toolTokenAccess("get", "update", "delete")] satisfies Uses;

const newDocument = [
  collectionAccess("getMany", "update"),
  documentAccess("put"),
  documentSourceAccess("put"),
  storageAccess("update"),
] satisfies Uses;

/** Used to turn an alert into a message, or to add it to the message of its incident. */
const alertDelivery = [
  conversationAccess("get", "update"),
  deliveryAccess("get", "put"),
  incidentAccess("get", "put"),
  messageAccess("get", "put", "update"),
  "guardrail",
] satisfies Uses;

/** Used to answer a request of the OpenAI-compatible API, including tools that the persona allows. */
const completion = [
  ...personaModel,
  ...budgetReader,
  budgetLedgerAccess("update"),
  completionAccess("put"),
  completionCancellationAccess("get"),
  endpointAccess("get"),
  idempotencyAccess("update", "delete"),
  idempotencyPartAccess("getMany", "put"),
  policyAccess("get"),
  toolCallAccess("put", "update"),
  toolServerAccess("getMany", "update"),
  ...toolTokens,
  "toolRounds",
  "webSearch",
  "importPorts",
  "modelSettings",
  "modelKeys",
  "bedrockModels",
  "modelCapabilities",
  "firstTokenTimeout",
  "textLimit",
  "guardrail",
] satisfies Uses;

/** Used to read a conversation of the OpenAI-compatible API. */
const conversationItems = [openaiConversationAccess("query"), openaiConversationItemAccess("query")] satisfies Uses;

/** Used to add items to a conversation of the OpenAI-compatible API. */
const newConversationItems = [
  openaiConversationAccess("update"),
  openaiConversationItemAccess("put"),
  openaiResponseAccess("get", "getMany"),
  policyAccess("get"),
  "appSecret",
] satisfies Uses;

/** Used to search collections by words and, with an embedding model, by meaning. */
const search = [
  collectionAccess("getMany"),
  documentAccess("getMany"),
  indexStatisticsAccess("getMany"),
  passageAccess("getMany"),
  postingsAccess("query"),
  vectorCodesAccess("query"),
  vectorStateAccess("getMany", "put"),
  "embeddingModel",
  "embeddings",
  "vectors",
  "similaritySearch",
  "reranking",
] satisfies Uses;

/** Used to end a run whose function was killed. */
const deadRun = [
  budgetLedgerAccess("update"),
  conversationAccess("get", "update"),
  messageAccess("get", "put", "deleteMany"),
  pausedRunAccess("delete"),
  runAccess("get", "query", "deleteMany"),
  runControlAccess("get", "deleteMany"),
  runLogAccess("query", "put", "deleteMany"),
  "modelSettings",
] satisfies Uses;

/** Used to stop a run, also one that waits for an approval or whose function was killed. */
const stop = [
  budgetLedgerAccess("update"),
  approvalAccess("get", "update"),
  conversationAccess("get", "update"),
  messageAccess("get", "put", "deleteMany"),
  pausedRunAccess("delete"),
  runAccess("get", "query", "deleteMany"),
  runControlAccess("update", "deleteMany"),
  runLogAccess("query", "put", "deleteMany"),
  "modelSettings",
] satisfies Uses;

/** Used to answer a question in a conversation. */
const turn = [
  ...deadRun,
  ...personaModel,
  ...search,
  ...newApproval,
  ...rightsReader,
  ...conversationReader,
  approvalAccess("update"),
  attachmentAccess("getMany"),
  memoryAccess("query", "queryIndex", "put", "delete"),
  messageAccess("queryIndex", "update"),
  noteAccess("query", "put"),
  pausedRunAccess("put"),
  runAccess("update"),
  runControlAccess("update"),
  summaryAccess("query", "put"),
  toolCallAccess("query", "put", "update"),
  toolConsentAccess("query"),
  toolServerAccess("getMany", "update"),
  toolSignInAccess("put"),
  toolTokenAccess("getMany"),
  // Questions in the thread of an investigation.
  investigationAccess("get"),
  investigationRecordAccess("query"),
  ...toolTokens,
  "attachments",
  "toolRounds",
  "webSearch",
  "importPorts",
  "modelKeys",
  "modelCapabilities",
  "bedrockModels",
  "runCheckpoint",
  "guardrail",
] satisfies Uses;

/** Items and resources that each operation uses, by operation id, in addition to those of the request chain (`requestUses`). */
export const operationUses = {
  // access
  createGroup: [groupAccess("put"), groupNameAccess("put"), membershipAccess("put")],
  createRole: [roleAccess("put")],
  deleteGroup: [
    groupAccess("get", "update", "delete"),
    groupNameAccess("put", "delete"),
    membershipAccess("put", "delete"),
  ],
  deleteRole: [roleAccess("delete")],
  listGroups: [groupAccess("query")],
  listPermissions: [],
  listRoles: [roleAccess("query")],
  updateGroup: [groupAccess("get", "update"), groupNameAccess("put", "delete"), membershipAccess("put", "delete")],
  updateRole: [roleAccess("update")],

  // api-keys
  createApiKey: [apiKeyAccess("put"), credentialAccess("put"), "appSecret"],
  listApiKeys: [apiKeyAccess("query"), "appSecret"],
  revokeApiKey: [apiKeyAccess("get", "update"), credentialAccess("delete")],

  // approvals
  cancelApproval: [...rightsReader, approvalAccess("get", "update")],
  answerApproval: [...rightsReader, approvalAccess("get", "update")],
  confirmApproval: [...rightsReader, approvalAccess("get", "update"), toolConsentAccess("put")],
  createApproval: [
    ...newApproval,
    ...rightsReader,
    ...conversationReader,
    policyAccess("get"),
    userAccess("get"),
    "appSecret",
  ],
  decideApproval: [apiKeyAccess("get"), approvalAccess("get", "update")],
  getApproval: [
    ...conversationReader,
    ...rightsReader,
    approvalAccess("get", "update"),
    messageAccess("query"),
    toolServerAccess("getMany"),
    "appSecret",
  ],
  listApprovals: [...rightsReader, approvalAccess("getMany", "query", "queryIndex"), ownApprovalAccess("query")],

  // audit
  listAuditEvents: [auditEventAccess("get", "query", "queryIndex"), auditHeadAccess("get")],
  verifyAuditEvents: [auditEventAccess("query"), auditHeadAccess("get")],

  // chat
  resumeChat: [...deadRun, ...conversationReader, ...rightsReader, runControlAccess("update")],
  startChat: [
    ...turn,
    ...personaReader,
    attachmentAccess("update"),
    messageAccess("query"),
    noteAccess("queryIndex"),
    policyAccess("get"),
    runAccess("put"),
    ...budgetReader,
    "runLimit",
  ],
  stopChat: [...stop, ...conversationReader],

  // conversations
  createConversation: [...personaReader, conversationAccess("put"), folderAccess("update"), folderEntryAccess("put")],
  deleteConversation: [
    ...conversationReader,
    conversationAccess("update"),
    folderAccess("update"),
    folderEntryAccess("delete"),
  ],
  getConversation: [...conversationReader],
  getConversationSummary: [...conversationReader, messageAccess("query"), summaryAccess("query")],
  listConversations: [conversationAccess("getMany", "queryIndex")],
  updateConversation: [
    ...conversationReader,
    ...personaReader,
    conversationAccess("update"),
    folderAccess("update"),
    folderEntryAccess("put", "delete"),
    messageAccess("get"),
  ],

  // data-deletions
  createDataDeletion: [...newApproval, ...rightsReader, deletionAccess("put"), policyAccess("get"), userAccess("get")],
  getDataDeletion: [...rightsReader, deletionAccess("get")],

  // docs
  getOpenapi: [],
  getProblem: [],

  // embed
  createEmbedAttachment: [
    embedSessionAccess("get"),
    attachmentAccess("put"),
    storageAccess("update"),
    "uploads",
    "appSecret",
  ],
  getEmbedAttachment: [embedSessionAccess("get"), attachmentAccess("getMany"), "appSecret"],
  getEmbedConfig: [],
  getEmbedSession: [
    embedSessionAccess("get"),
    messageAccess("get", "query"),
    personaAccess("get"),
    runAccess("get"),
    "appSecret",
    "embedSessionLimits",
  ],
  getWidget: [],
  getWidgetPart: [],
  rateEmbedMessage: [
    conversationAccess("check"),
    embedSessionAccess("get"),
    feedbackAccess("put"),
    listedFeedbackAccess("put"),
    messageAccess("get"),
    "appSecret",
  ],
  resumeEmbedMessage: [
    ...deadRun,
    ...conversationReader,
    embedSessionAccess("get"),
    runControlAccess("update"),
    "appSecret",
  ],
  sendEmbedMessage: [
    ...turn,
    ...personaReader,
    embedSessionAccess("get", "update"),
    attachmentAccess("update"),
    messageAccess("query"),
    policyAccess("get"),
    runAccess("put"),
    ...budgetReader,
    "appSecret",
    "runLimit",
    "embedSessionLimits",
    "visitorLimit",
  ],
  startEmbedSession: [
    conversationAccess("put"),
    embedSessionAccess("get", "put"),
    folderAccess("update"),
    folderEntryAccess("put"),
    messageAccess("get", "query"),
    personaAccess("get"),
    runAccess("get"),
    "appSecret",
    "embedSessionLimits",
  ],
  stopEmbedMessage: [...stop, embedSessionAccess("get"), "appSecret"],

  // embed-keys
  createEmbedKey: [credentialAccess("put"), embedKeyAccess("put"), personaAccess("get"), "appSecret"],
  deleteVisitorSession: [
    conversationAccess("get", "update"),
    embedSessionAccess("get", "delete"),
    folderAccess("update"),
    folderEntryAccess("delete"),
  ],
  getVisitorSession: [embedSessionAccess("get"), feedbackAccess("query"), messageAccess("get", "query")],
  listEmbedKeys: [embedKeyAccess("query")],
  listVisitorQuestions: [embedKeyAccess("get"), visitorQuestionAccess("queryIndex")],
  listVisitorSessions: [
    embedKeyAccess("get"),
    embedSessionAccess("queryIndex"),
    feedbackAccess("query"),
    messageAccess("query"),
  ],
  revokeEmbedKey: [credentialAccess("delete"), embedKeyAccess("update")],
  updateEmbedKey: [embedKeyAccess("update"), personaAccess("get")],
  updateVisitorQuestion: [
    collectionAccess("getMany"),
    documentAccess("getMany"),
    visitorQuestionAccess("get", "update"),
  ],

  // export
  createExport: [...newApproval, exportAccess("get", "put"), pendingExportAccess("get", "put"), policyAccess("get")],
  downloadExport: [
    tenantAccess("get"),
    ...conversationReader,
    attachmentAccess("getMany"),
    exportAccess("get", "update"),
    exportSegmentAccess("get"),
    "appSecret",
    "attachments",
  ],
  exportConversation: [
    ...newApproval,
    ...conversationReader,
    exportAccess("put"),
    messageAccess("query"),
    policyAccess("get"),
    summaryAccess("query"),
  ],
  getExport: [exportAccess("get"), "appSecret"],
  listExports: [exportAccess("query"), "appSecret"],

  // feedback
  deleteFeedback: [feedbackAccess("delete"), listedFeedbackAccess("get", "delete")],
  getFeedback: [...rightsReader, listedFeedbackAccess("get")],
  giveFeedback: [
    ...conversationReader,
    conversationAccess("check"),
    feedbackAccess("put"),
    listedFeedbackAccess("put"),
    messageAccess("get"),
    "appSecret",
  ],
  listFeedback: [...rightsReader, feedbackAccess("queryIndex"), listedFeedbackAccess("query")],

  // folders
  createFolder: [folderAccess("get", "put", "check"), folderNameAccess("put")],
  deleteFolder: [
    conversationAccess("get", "update"),
    folderAccess("get", "query", "update", "deleteMany", "check"),
    folderEntryAccess("query", "put", "delete", "deleteMany"),
    folderNameAccess("put", "delete"),
  ],
  getFolder: [folderAccess("get")],
  listFolders: [folderAccess("query")],
  updateFolder: [folderAccess("get", "query", "update", "check"), folderNameAccess("put", "delete")],

  // identity
  getMe: [],
  getMyAccess: [...rightsReader],
  getMyLimits: [...budgetReader, storageAccess("get")],
  getMyUsage: [usageAccess("query"), userAccess("get")],
  getReceptor: [...rightsReader, policyAccess("get"), "modelSettings"],

  // knowledge
  createCollection: [collectionAccess("put"), collectionNameAccess("put")],
  deleteCollection: [...rightsReader, collectionAccess("getMany", "update"), collectionNameAccess("delete")],
  getCollection: [collectionAccess("getMany")],
  listCollections: [collectionAccess("queryIndex")],
  updateCollection: [...rightsReader, collectionAccess("getMany", "update"), collectionNameAccess("put", "delete")],
  createDocument: [...newDocument, "uploads"],
  deleteDocument: [...rightsReader, collectionAccess("getMany", "update"), documentAccess("getMany", "update")],
  getDocument: [collectionAccess("getMany"), documentAccess("getMany")],
  listDocuments: [collectionAccess("getMany"), documentAccess("query")],
  promoteMessage: [...newDocument, ...conversationReader, messageAccess("get", "query")],
  replaceDocument: [
    collectionAccess("getMany"),
    documentAccess("getMany", "update"),
    documentSourceAccess("put"),
    storageAccess("update"),
    "uploads",
  ],
  searchKnowledge: [...search],
  getPassage: [collectionAccess("getMany"), documentAccess("getMany"), passageAccess("getMany")],
  createUpload: [...newDocument, documentAccess("getMany", "update"), "uploads"],
  cancelImport: [
    ...rightsReader,
    collectionAccess("getMany"),
    importTimerAccess("delete"),
    knowledgeImportAccess("get", "update"),
    runningImportsAccess("update"),
  ],
  createImport: [
    collectionAccess("getMany"),
    knowledgeImportAccess("put"),
    runningImportsAccess("update"),
    "privateRanges",
  ],
  deleteImport: [
    ...rightsReader,
    collectionAccess("getMany"),
    importTimerAccess("delete"),
    knowledgeImportAccess("get", "deleteMany"),
    runningImportsAccess("update"),
  ],
  getImport: [collectionAccess("getMany"), knowledgeImportAccess("get")],
  listImports: [collectionAccess("getMany"), knowledgeImportAccess("query")],
  retryImport: [
    ...rightsReader,
    collectionAccess("getMany"),
    knowledgeImportAccess("get", "update"),
    runningImportsAccess("update"),
  ],

  // legacy
  refuseAssistant: [],
  refuseAssistants: [],
  refuseChatStream: [],
  refuseCompletions: [],

  // memories
  createMemory: [...rightsReader, ...conversationReader, ...personaReader, memoryAccess("put")],
  deleteMemory: [...rightsReader, memoryAccess("getMany", "delete")],
  getMemory: [memoryAccess("getMany")],
  listMemories: [memoryAccess("query")],
  updateMemory: [...rightsReader, memoryAccess("getMany", "update", "delete")],

  // messages
  createAttachment: [...conversationReader, attachmentAccess("put"), storageAccess("update"), "uploads"],
  importMessages: [...conversationReader, conversationAccess("update"), messageAccess("put")],
  deleteAttachment: [...conversationReader, attachmentAccess("getMany", "delete")],
  deleteMessage: [
    ...conversationReader,
    attachmentAccess("getMany", "deleteMany"),
    conversationAccess("update"),
    messageAccess("get", "delete"),
    revisionAccess("query", "deleteMany"),
    runAccess("query", "deleteMany"),
    runLogAccess("query", "deleteMany"),
    summaryAccess("query", "deleteMany"),
  ],
  getAttachment: [...conversationReader, attachmentAccess("getMany"), "attachments"],
  listMessages: [...conversationReader, ...rightsReader, messageAccess("get", "query"), runAccess("get")],
  searchMessages: [
    ...conversationReader,
    conversationAccess("getMany", "queryIndex"),
    folderEntryAccess("query"),
    indexStatisticsAccess("getMany"),
    messageAccess("getMany", "query"),
    passageAccess("getMany"),
    postingsAccess("query"),
  ],
  listReplies: [...conversationReader, ...rightsReader, messageAccess("get", "query", "queryIndex")],
  listRevisions: [...conversationReader, messageAccess("get", "query"), revisionAccess("query")],
  updateMessage: [
    ...conversationReader,
    ...rightsReader,
    messageAccess("get", "update"),
    revisionAccess("put"),
    summaryAccess("query", "deleteMany"),
  ],

  // notes
  createNote: [...conversationReader, noteAccess("put")],
  deleteNote: [noteAccess("delete")],
  getNote: [noteAccess("get")],
  listNotes: [noteAccess("query")],
  updateNote: [...conversationReader, noteAccess("get", "update")],

  // open
  getFeatureFlags: [],
  getHealth: [healthAccess, "modelSettings"],
  listConsentActivities: [],

  // openai
  cancelChatCompletion: [completionCancellationAccess("put"), "appSecret"],
  countMessageTokens: [endpointAccess("get")],
  createAnthropicMessage: [...search, ...completion],
  createChatCompletion: [...search, ...completion],
  getModel: [languageModelAccess("get"), endpointAccess("get"), "modelSettings", "modelCapabilities", "embeddingModel"],
  listModels: [
    languageModelAccess("get"),
    endpointAccess("query"),
    "modelSettings",
    "modelCapabilities",
    "embeddingModel",
  ],
  createResponse: [
    ...search,
    ...completion,
    ...conversationItems,
    openaiConversationAccess("update"),
    openaiConversationItemAccess("put"),
    openaiResponseAccess("get", "getMany", "put"),
  ],
  compactResponse: [
    ...search,
    ...completion,
    ...conversationItems,
    openaiResponseAccess("get", "getMany"),
    "appSecret",
  ],
  cancelResponse: [completionCancellationAccess("put"), openaiResponseAccess("get"), "appSecret"],
  countResponseTokens: [
    ...conversationItems,
    endpointAccess("get"),
    openaiResponseAccess("get", "getMany"),
    "appSecret",
  ],
  listResponseItems: [openaiResponseAccess("get", "getMany")],
  createOpenaiConversation: [...newConversationItems, openaiConversationAccess("put")],
  getOpenaiConversation: [openaiConversationAccess("get")],
  updateOpenaiConversation: [openaiConversationAccess("update"), policyAccess("get")],
  deleteOpenaiConversation: [
    ...conversationItems,
    openaiConversationAccess("deleteMany"),
    openaiConversationItemAccess("deleteMany"),
  ],
  listConversationItems: [...conversationItems],
  createConversationItems: [...conversationItems, ...newConversationItems],
  getConversationItem: [...conversationItems],
  deleteConversationItem: [
    ...conversationItems,
    openaiConversationAccess("get"),
    openaiConversationItemAccess("deleteMany"),
  ],
  deleteResponse: [openaiResponseAccess("get", "deleteMany")],
  getResponse: [openaiResponseAccess("get", "getMany")],
  createCompletion: [...search, ...completion],
  createEmbedding: [
    ...budgetReader,
    budgetLedgerAccess("update"),
    completionAccess("put"),
    "modelSettings",
    "modelKeys",
    "embeddingModel",
    "embeddings",
  ],
  createModeration: [policyAccess("get"), "guardrail"],

  // personas
  createLanguageModel: [languageModelAccess("query", "put"), "appSecret", "modelSettings"],
  createPersona: [languageModelAccess("query"), personaAccess("put"), toolServerAccess("getMany"), "modelSettings"],
  deletePersona: [...personaReader, endpointAccess("delete"), personaAccess("delete")],
  getPersona: [...personaReader],
  listPersonas: [groupAccess("getMany"), membershipAccess("query"), personaAccess("query", "queryIndex")],
  publishPersona: [endpointAccess("put", "delete"), personaAccess("get", "update")],
  unpublishPersona: [endpointAccess("delete"), personaAccess("get", "update")],
  deleteLanguageModel: [languageModelAccess("delete")],
  listLanguageModels: [
    groupAccess("getMany"),
    membershipAccess("query"),
    languageModelAccess("query"),
    policyAccess("get"),
    "modelSettings",
    "modelCapabilities",
  ],
  updateLanguageModel: [languageModelAccess("get", "update"), "appSecret", "modelSettings"],
  updatePersona: [
    ...personaReader,
    languageModelAccess("query"),
    personaAccess("update"),
    toolServerAccess("getMany"),
    "modelSettings",
  ],

  // policy
  getPolicy: [policyAccess("get")],
  updatePolicy: [policyAccess("get", "put")],

  // projects
  redirectProject: [],
  redirectProjects: [],

  // sharing
  createGrant: [...conversationReader, conversationAccess("update"), grantAccess("put", "update"), userAccess("get")],
  createShareLink: [
    ...newApproval,
    ...conversationReader,
    conversationAccess("check"),
    policyAccess("get"),
    shareLinkAccess("put"),
    sharedViewAccess("put"),
    "appSecret",
  ],
  deleteGrant: [...conversationReader, grantAccess("delete")],
  getGrant: [...conversationReader],
  getShareLink: [...conversationReader, shareLinkAccess("get")],
  getSharedConversation: [
    conversationAccess("get"),
    messageAccess("query"),
    policyAccess("get"),
    shareLinkAccess("update"),
    sharedViewAccess("get"),
    tenantAccess("get"),
    userAccess("get"),
    "appSecret",
  ],
  listGrants: [...conversationReader, grantAccess("query")],
  listShareLinks: [...conversationReader, shareLinkAccess("query")],
  revokeShareLink: [
    ...rightsReader,
    ...conversationReader,
    shareLinkAccess("get", "update"),
    sharedViewAccess("delete"),
  ],

  // tenants
  deleteTenant: [tenantAccess("get", "update")],
  createTenant: [tenantAccess("put"), slugAccess("put")],
  createUsageCorrection: [tenantAccess("get"), usageCorrectionAccess("put")],
  getTenant: [tenantAccess("get")],
  getTenantUsage: [storageAccess("get"), tenantAccess("get"), usageAccess("query")],
  listTenants: [tenantAccess("queryIndex")],
  listTenantUsage: [tenantAccess("queryIndex"), usageAccess("query")],
  updateTenant: [tenantAccess("get", "update"), userAccess("queryIndex")],

  // users
  createToken: [...conversationReader, "appSecret"],
  getUser: [shareLinkAccess("queryIndex")],
  listPeople: [userAccess("queryIndex")],
  listUsers: [groupAccess("query"), userAccess("queryIndex")],
  updateUser: [],

  // scim
  createScimGroup: [
    groupAccess("get", "put", "update"),
    groupNameAccess("put", "delete"),
    membershipAccess("put", "delete"),
  ],
  createScimUser: [...provisioning, "scimUserId"],
  deleteScimGroup: [
    groupAccess("get", "update", "delete"),
    groupNameAccess("put", "delete"),
    membershipAccess("put", "delete"),
  ],
  deleteScimUser: [
    ...provisioning,
    groupAccess("get", "update"),
    groupNameAccess("put", "delete"),
    membershipAccess("put", "delete"),
  ],
  getScimGroup: [groupAccess("get")],
  getScimMetadata: [],
  getScimUser: [],
  listScimGroups: [groupAccess("get", "query"), groupNameAccess("get")],
  listScimUsers: [groupAccess("query"), scimNameAccess("get"), userAccess("queryIndex")],
  replaceScimGroup: [groupAccess("get", "update"), groupNameAccess("put", "delete"), membershipAccess("put", "delete")],
  replaceScimUser: [...provisioning],
  updateScimGroup: [groupAccess("get", "update"), groupNameAccess("put", "delete"), membershipAccess("put", "delete")],
  updateScimUser: [...provisioning],

  // invitations
  acceptInvitation: [
    ...rightsReader,
    groupAccess("get", "query", "put", "update"),
    groupNameAccess("get", "put", "delete"),
    invitationAccess("get", "update"),
    membershipAccess("put", "delete"),
  ],
  createInvitation: [groupAccess("get"), invitationAccess("query", "put")],
  createTenantInvitation: [invitationAccess("query", "put"), tenantAccess("get")],
  listInvitations: [invitationAccess("query")],
  revokeInvitation: [invitationAccess("delete")],

  // issuers
  createIssuer: [
    issuerAccess("put"),
    issuerLookupAccess("put"),
    tenantAccess("get", "update"),
    "deploymentIssuer",
    "issuerKeys",
  ],
  deleteIssuer: [issuerAccess("get", "delete"), issuerLookupAccess("delete"), tenantAccess("get", "update")],
  listIssuers: [issuerAccess("query")],

  // templates
  createTemplate: [templateAccess("put")],
  deleteTemplate: [...rightsReader, templateAccess("get", "delete")],
  getTemplate: [templateAccess("get")],
  listTemplates: [templateAccess("queryIndex")],
  renderTemplate: [templateAccess("get")],
  searchTemplates: [templateAccess("queryIndex")],
  updateTemplate: [...rightsReader, templateAccess("get", "update")],

  // tools
  callMcp: [
    ...turn,
    ...personaReader,
    ...budgetReader,
    collectionAccess("queryIndex"),
    conversationAccess("put"),
    documentAccess("query"),
    documentSourceAccess("query"),
    folderAccess("update"),
    folderEntryAccess("put"),
    messageAccess("query"),
    noteAccess("queryIndex"),
    policyAccess("get"),
    runAccess("put"),
    templateAccess("get", "queryIndex"),
    "runLimit",
  ],
  callToolServer: [toolServerAccess("get", "update"), ...toolTokens],
  checkToolServer: [toolServerAccess("get", "update"), ...toolTokens],
  completeToolSignIn: [
    approvalAccess("getMany", "update"),
    ownApprovalAccess("query"),
    toolServerAccess("get"),
    toolSignInAccess("delete"),
    toolTokenAccess("put"),
    ...toolServers,
  ],
  createToolServer: [toolServerAccess("put"), ...toolTokens],
  deleteToolConsents: [toolConsentAccess("query", "deleteMany")],
  listToolConsents: [toolConsentAccess("query")],
  deleteToolServer: [toolServerAccess("get", "delete"), toolTokenAccess("query", "delete"), ...toolServers],
  deleteToolSignIn: [...rightsReader, toolServerAccess("get"), toolTokenAccess("get", "delete"), ...toolServers],
  getMcpMetadata: ["tokens"],
  getResourceMetadata: ["tokens"],
  getToolClient: [],
  getToolServer: [toolServerAccess("get")],
  listToolServers: [toolServerAccess("query")],
  listToolSignIns: [toolServerAccess("query"), toolTokenAccess("getMany")],
  startToolSignIn: [...rightsReader, toolServerAccess("get"), toolSignInAccess("put")],
  updateToolServer: [toolServerAccess("get", "update"), ...toolTokens],

  // budgets
  createBudget: [budgetAccess("put"), tenantAccess("update")],
  deleteBudget: [budgetAccess("delete"), tenantAccess("update")],
  getBudget: [budgetAccess("get"), budgetLedgerAccess("get")],
  listBudgets: [budgetAccess("query"), budgetLedgerAccess("get")],
  updateBudget: [budgetAccess("get", "update")],

  // usage
  getUsage: [storageAccess("get"), usageAccess("query")],

  // event-endpoints
  createEventEndpoint: [eventEndpointAccess("query", "put"), "appSecret", "emailRules", "privateRanges"],
  deleteEventEndpoint: [eventEndpointAccess("delete")],
  getEventEndpoint: [eventEndpointAccess("get")],
  listEventDeliveries: [eventEndpointAccess("get"), eventDeliveryAccess("query")],
  listEventEndpoints: [eventEndpointAccess("query")],
  replayEventDelivery: [eventEndpointAccess("get"), eventDeliveryAccess("get", "update")],
  rotateEventEndpointSecret: [eventEndpointAccess("get", "update"), "appSecret"],
  testEventEndpoint: [eventEndpointAccess("get"), eventDeliveryAccess("put")],
  updateEventEndpoint: [eventEndpointAccess("get", "update"), "appSecret", "emailRules", "privateRanges"],

  // slack
  completeSlackInstallation: [
    slackInstallationAccess("delete"),
    slackLookupAccess("put"),
    slackTeamAccess("get", "put"),
    slackWorkspaceAccess("get", "query", "put", "update"),
    "appSecret",
    "slack",
    "slackApp",
  ],
  createSlackInstallation: [slackInstallationAccess("put"), "slack", "slackAppId"],
  createSlackLink: [
    messengerLinkAccess("put"),
    messengerLinkRequestAccess("get", "delete"),
    slackWorkspaceAccess("get"),
  ],
  createSlackWorkspace: [
    ...personaReader,
    slackLookupAccess("put"),
    slackWorkspaceAccess("query", "put"),
    "appSecret",
    "slack",
  ],
  deleteSlackLink: [messengerLinkAccess("delete")],
  deleteSlackWorkspace: [slackLookupAccess("delete"), slackTeamAccess("delete"), slackWorkspaceAccess("get", "delete")],
  getSlackWorkspace: [slackWorkspaceAccess("get")],
  listSlackLinks: [messengerLinkAccess("queryIndex")],
  listSlackWorkspaces: [slackWorkspaceAccess("query"), "slackAppId"],
  receiveSlackAppRequest: [
    messengerEventAccess("put"),
    messengerThreadAccess("get"),
    slackTeamAccess("get", "delete"),
    slackWorkspaceAccess("get", "update"),
    "slackSignature",
    "failedCredentialLimit",
  ],
  receiveSlackRequest: [
    messengerEventAccess("put"),
    slackLookupAccess("get"),
    messengerThreadAccess("get"),
    slackTeamAccess("delete"),
    slackWorkspaceAccess("get", "update"),
    "appSecret",
    "failedCredentialLimit",
  ],
  updateSlackWorkspace: [...personaReader, slackWorkspaceAccess("get", "update"), "appSecret", "slack"],

  // teams
  createTeamsCode: [teamsWorkspaceAccess("get", "update")],
  createTeamsLink: [
    messengerLinkAccess("put"),
    messengerLinkRequestAccess("get", "delete"),
    teamsWorkspaceAccess("get"),
  ],
  createTeamsWorkspace: [
    ...personaReader,
    teamsLookupAccess("put"),
    teamsWorkspaceAccess("query", "put"),
    "appSecret",
    "teams",
  ],
  deleteTeamsLink: [messengerLinkAccess("delete")],
  deleteTeamsWorkspace: [teamsLookupAccess("delete"), teamsWorkspaceAccess("delete")],
  getTeamsWorkspace: [teamsWorkspaceAccess("get")],
  listTeamsLinks: [messengerLinkAccess("queryIndex")],
  listTeamsWorkspaces: [teamsWorkspaceAccess("query")],
  receiveTeamsActivity: [
    messengerEventAccess("put"),
    messengerThreadAccess("get"),
    teamsLookupAccess("get"),
    teamsWorkspaceAccess("get", "update"),
    "teamsToken",
    "failedCredentialLimit",
  ],
  updateTeamsWorkspace: [...personaReader, teamsWorkspaceAccess("get", "update"), "appSecret", "teams"],

  // investigations
  acknowledgeInvestigation: [...conversationReader, investigationAccess("queryIndex", "update")],
  getInvestigation: [
    ...conversationReader,
    investigationAccess("queryIndex"),
    investigationRecordAccess("query"),
    messageAccess("get"),
  ],
  createInvestigationReplay: [
    ...conversationReader,
    ...personaReader,
    investigationAccess("queryIndex"),
    investigationReplayAccess("put"),
  ],
  listInvestigationReplays: [
    ...conversationReader,
    investigationAccess("queryIndex"),
    investigationReplayAccess("query"),
  ],
  getInvestigationReview: [...conversationReader, investigationAccess("queryIndex"), messageAccess("queryIndex")],
  createIncidentUpdate: [
    ...conversationReader,
    ...newApproval,
    incidentUpdateAccess("put"),
    investigationAccess("queryIndex", "update"),
    messageAccess("get"),
    webhookAccess("get"),
  ],
  listIncidentUpdates: [
    ...conversationReader,
    incidentUpdateAccess("query"),
    investigationAccess("queryIndex"),
    messageAccess("get"),
    webhookAccess("get"),
  ],
  listInvestigations: [...conversationReader, investigationAccess("queryIndex")],

  // webhooks
  getWebhookInfo: [webhookAccess("get")],
  ingestAlert: [
    ...alertDelivery,
    deliveryAccess("update"),
    policyAccess("get"),
    webhookChannelAccess("get"),
    "appSecret",
    "failedCredentialLimit",
  ],
  listWebhooks: [webhookAccess("query")],
  registerWebhook: [
    ...conversationReader,
    conversationAccess("check"),
    webhookAccess("put"),
    webhookChannelAccess("put"),
    "appSecret",
  ],
  removeWebhook: [webhookAccess("delete"), webhookChannelAccess("delete")],
  rotateWebhookSecret: [webhookAccess("get", "update"), webhookChannelAccess("update"), "appSecret"],
  testWebhook: [...alertDelivery, deliveryAccess("update"), policyAccess("get"), webhookAccess("get")],
  listDeliveries: [deliveryAccess("queryIndex"), webhookAccess("get")],
  replayDelivery: [...alertDelivery, webhookAccess("get")],
  updateWebhook: [
    ...conversationReader,
    ...personaReader,
    deliveryAccess("queryIndex"),
    webhookAccess("get", "update"),
    webhookChannelAccess("update"),
    slackWorkspaceAccess("get", "update"),
    teamsWorkspaceAccess("get"),
    "appSecret",
    "slack",
    "slackApp",
  ],
} satisfies Readonly<Record<string, Uses>>;

/**
 * Items and resources that functions without an operation use, by function name: authorizers, stream processors, jobs, and
 * the function for requests without a route.
 */
export const functionUses = {
  "route-not-found": [...request, anonymousRateAccess("update"), "openLimit"],
  "authorizer-api-key": [credentialAccess("get"), "table", "originSecret", "failedCredentialLimit"],
  "authorizer-embed-key": [credentialAccess("get"), "table", "originSecret", "failedCredentialLimit"],
  "authorizer-deployment-key": ["log", "originSecret", "deploymentKey", "failedCredentialLimit"],
  "authorizer-jwt": [
    credentialAccess("get"),
    issuerLookupAccess("get"),
    "log",
    "stage",
    "table",
    "originSecret",
    "appSecret",
    "tokens",
    "issuerKeys",
    "failedCredentialLimit",
  ],
  "changes-cascade": [
    ...processor,
    ...conversationReader,
    ...newApproval,
    apiKeyAccess("update"),
    groupAccess("get", "query", "update"),
    groupNameAccess("put", "delete"),
    membershipAccess("put", "delete"),
    approvalAccess("get", "update"),
    attachmentAccess("query"),
    auditEventAccess("put"),
    auditHeadAccess("get", "put"),
    auditMarkAccess("getMany", "put"),
    budgetAccess("query"),
    budgetAlertAccess("put"),
    budgetLedgerAccess("update"),
    conversationAccess("update", "deleteMany", "check"),
    countedAccess("put"),
    deletionAccess("put"),
    eventDeliveryAccess("put"),
    eventEndpointAccess("query"),
    embedKeyAccess("update"),
    embedSessionAccess("get", "deleteMany"),
    visitorQuestionAccess("update"),
    exportAccess("get", "put"),
    feedbackAccess("query", "deleteMany"),
    folderAccess("get", "query", "update", "deleteMany", "check"),
    folderEntryAccess("query", "put", "delete", "deleteMany"),
    folderNameAccess("put", "delete"),
    grantAccess("query", "put", "update", "deleteMany"),
    listedFeedbackAccess("deleteMany"),
    memoryAccess("queryIndex", "deleteMany"),
    messageAccess("get", "query", "deleteMany"),
    noteAccess("queryIndex", "update"),
    pendingExportAccess("get", "put"),
    policyAccess("get"),
    revisionAccess("query", "deleteMany"),
    runAccess("query", "deleteMany"),
    runControlAccess("update", "deleteMany"),
    runLogAccess("deleteMany"),
    summaryAccess("deleteMany"),
    messengerEventAccess("put"),
    messengerLinkAccess("query", "deleteMany"),
    shareLinkAccess("query", "put", "deleteMany"),
    sharedViewAccess("put", "delete"),
    storageAccess("update"),
    tenantAccess("get"),
    usageAccess("update"),
    incidentUpdateAccess("get", "put", "update"),
    investigationAccess("get", "query", "put", "update", "deleteMany"),
    investigationBudgetAccess("update"),
    investigationGroupAccess("get", "put", "update"),
    investigationRecordAccess("query", "put", "deleteMany"),
    queuedInvestigationAccess("put", "delete"),
    runningInvestigationsAccess("get", "put"),
    webhookAccess("get", "queryIndex", "update"),
    webhookChannelAccess("update"),
    "applyRetentionQueue",
    "attachmentDeletion",
    "buildExportQueue",
    "continueRunQueue",
    "deleteDataQueue",
    "deliverEventQueue",
    "metering",
    "watchRunQueue",
  ],
  "changes-index-documents": [
    ...processor,
    collectionAccess("getMany", "update", "deleteMany"),
    documentAccess("query", "update", "deleteMany"),
    documentSourceAccess("query", "deleteMany"),
    conversationAccess("get"),
    importTimerAccess("delete"),
    indexStatisticsAccess("getMany", "update"),
    indexedMessageAccess("get", "put", "update", "delete"),
    knowledgeImportAccess("get", "query", "deleteMany"),
    passageAccess("getMany", "put", "deleteMany"),
    postingsAccess("getMany", "query", "put", "delete"),
    runningImportsAccess("update"),
    vectorCodesAccess("get", "query", "put", "delete"),
    vectorStateAccess("getMany", "put"),
    "messageSearch",
    "embeddingModel",
    "embeddings",
    "vectors",
    "embedPassagesQueue",
    "processFileQueue",
    "runImportQueue",
  ],
  "apply-retention": [
    ...job,
    conversationAccess("get", "queryIndex", "update"),
    policyAccess("get"),
    userAccess("queryIndex"),
    "applyRetentionQueue",
  ],
  "build-export": [
    ...job,
    ...ownedResources,
    ...conversationReader,
    attachmentAccess("query"),
    collectionAccess("get"),
    documentAccess("get", "query"),
    documentSourceAccess("query"),
    exportAccess("get", "update"),
    exportSegmentAccess("put"),
    summaryAccess("query"),
    "attachments",
    "buildExportQueue",
  ],
  "continue-run": [
    ...job,
    ...turn,
    ...personaReader,
    approvalAccess("get"),
    deliveryAccess("queryIndex"),
    documentSourceAccess("query"),
    investigationAccess("queryIndex", "update"),
    investigationBudgetAccess("get", "update"),
    investigationRecordAccess("put"),
    investigationReplayAccess("get", "update"),
    messageAccess("query"),
    noteAccess("queryIndex"),
    pausedRunAccess("get"),
    policyAccess("get"),
    queuedInvestigationAccess("query", "delete"),
    runAccess("put"),
    runningInvestigationsAccess("get", "put"),
    userAccess("get"),
    webhookAccess("get"),
    budgetAccess("query"),
    tenantAccess("get"),
    apiKeyAccess("get"),
    conversationAccess("put"),
    folderAccess("update"),
    folderEntryAccess("put"),
    attachmentAccess("put"),
    storageAccess("update"),
    messengerEventAccess("get", "update"),
    messengerLinkAccess("get"),
    messengerLinkRequestAccess("put"),
    messengerThreadAccess("get", "put"),
    slackWorkspaceAccess("get", "update"),
    teamsWorkspaceAccess("get", "update"),
    "slack",
    "slackApp",
    "teams",
    "stage",
    "uploads",
    "continueRunQueue",
    "watchRunQueue",
  ],
  "deliver-event": [
    ...job,
    eventDeliveryAccess("get", "update"),
    eventEndpointAccess("get", "update"),
    eventPauseAccess("get", "put", "update", "delete"),
    incidentUpdateAccess("get", "update"),
    investigationAccess("update"),
    // Traces of answers.
    messageAccess("get"),
    runAccess("get"),
    runLogAccess("query"),
    tenantAccess("get"),
    webhookAccess("get"),
    "appSecret",
    "deliverEventQueue",
    "email",
    "meteringService",
    "modelSettings",
    "toolServers",
  ],
  "delete-data": [
    ...job,
    ...ownedResources,
    toolServerAccess("getMany", "query"),
    toolTokenAccess("delete", "getMany"),
    ...toolServers,
    approvalAccess("update"),
    collectionAccess("update"),
    collectionNameAccess("delete"),
    conversationAccess("update"),
    deletionAccess("get", "update"),
    endpointAccess("delete"),
    exportAccess("query", "update", "delete"),
    exportSegmentAccess("deleteMany"),
    feedbackAccess("delete"),
    folderAccess("update", "delete"),
    folderEntryAccess("delete"),
    folderNameAccess("delete"),
    grantAccess("queryIndex", "delete"),
    listedFeedbackAccess("delete"),
    noteAccess("delete"),
    pendingExportAccess("deleteMany"),
    personaAccess("delete"),
    "deleteDataQueue",
    userAccess("update"),
    ...tenantContentAccess,
  ],
  "embed-passages": [
    ...job,
    documentAccess("getMany"),
    indexStatisticsAccess("getMany"),
    passageAccess("getMany", "query", "update"),
    vectorCodesAccess("get", "query", "put", "delete", "deleteMany"),
    vectorStateAccess("getMany", "update"),
    "embeddingModel",
    "embeddings",
    "stage",
    "vectors",
    "embedPassagesQueue",
  ],
  "fail-import": [
    ...job,
    importTimerAccess("put"),
    knowledgeImportAccess("get", "update"),
    runningImportsAccess("update"),
  ],
  "probe-chat": ["log", "stage", "probe"],
  "process-file": [
    ...job,
    attachmentAccess("getMany", "update"),
    documentAccess("getMany", "update"),
    documentSourceAccess("put"),
    "attachmentStorage",
    "uploadedFiles",
  ],
  "run-import": [
    ...job,
    ...newDocument,
    tenantAccess("get"),
    documentAccess("getMany", "update"),
    importTimerAccess("put"),
    knowledgeImportAccess("get", "update"),
    runningImportsAccess("update"),
    "importPorts",
    "uploads",
    "runImportQueue",
  ],
  "write-usage-files": [
    "log",
    "stage",
    "table",
    eventDeliveryAccess("query"),
    tenantAccess("queryIndex"),
    "usageFiles",
  ],
  "watch-run": [
    ...job,
    ...deadRun,
    investigationAccess("get"),
    "continueRunQueue",
    "stage",
    "telemetry",
    "watchRunQueue",
  ],
} satisfies Readonly<Record<string, Uses>>;

/** Properties of a contract that determine what its request chain uses. */
export type RequestContract = Pick<Route, "auth" | "idempotency" | "capability" | "streaming">;

/** Returns the items and resources that the request chain uses before and after the handler of an operation. */
export function requestUses({ auth, idempotency, capability, streaming }: RequestContract): Uses {
  const isAnonymous = auth === "none";
  return [
    ...request,
    anonymousRateAccess("update"),
    ...(isAnonymous || auth === "deployment-key"
      ? []
      : [tenantAccess("get"), rateAccess("update"), embedKeyAccess("get")]),
    // A key was created by a user, whose first request created both records. API Gateway caches what an authorizer returns, so
    // functions verify API keys themselves.
    ...(auth === "jwt"
      ? ([
          tenantAccess("put", "update"),
          slugAccess("put"),
          "tenantCreation",
          userAccess("get", "put", "update"),
          credentialAccess("get"),
          "failedCredentialLimit",
        ] as const)
      : []),
    ...(isAnonymous || idempotency === "none" ? [] : [idempotencyAccess("get", "put")]),
    ...(capability ? rightsReader : []),
    // API Gateway calls authorizers; a function URL verifies credentials itself.
    ...(streaming ? ([credentialAccess("get"), "appSecret", "tokens", "failedCredentialLimit"] as const) : []),
    ...(streaming ? ([issuerLookupAccess("get"), "issuerKeys"] as const) : []),
  ];
}

/**
 * Returns the items and resources that a function uses.
 * @param name name of the function without service and stage: `watch-run`
 * @param route contract of the operation that the function serves
 * @throws Error if neither list has an entry for the function
 */
export function usesOf(name: string, route?: RequestContract & Pick<Route, "id">): Uses {
  const table: Readonly<Record<string, Uses>> = route ? operationUses : functionUses;
  const own = table[route?.id ?? name];
  if (!own) throw new Error(`functions/uses.ts has no entry for ${route?.id ?? name}`);
  return route ? [...requestUses(route), ...own] : own;
}
