import { attachmentItem } from "./items/conversations/attachment.item.ts";
import { conversationItem } from "./items/conversations/conversation.item.ts";
import { feedbackItem } from "./items/conversations/feedback.item.ts";
import { folderItem } from "./items/conversations/folder.item.ts";
import { folderEntryItem } from "./items/conversations/folder-entry.item.ts";
import { folderNameItem } from "./items/conversations/folder-name.item.ts";
import { grantItem } from "./items/conversations/grant.item.ts";
import { listedFeedbackItem } from "./items/conversations/listed-feedback.item.ts";
import { messageItem } from "./items/conversations/message.item.ts";
import { revisionItem } from "./items/conversations/revision.item.ts";
import { shareLinkItem } from "./items/conversations/share-link.item.ts";
import { sharedViewItem } from "./items/conversations/shared-view.item.ts";
import { summaryItem } from "./items/conversations/summary.item.ts";
import { embedSessionItem } from "./items/embed/embed-session.item.ts";
import { handoverItem } from "./items/embed/handover.item.ts";
import { visitorQuestionItem } from "./items/embed/visitor-question.item.ts";
import { testItemItem } from "./items/evaluations/test-item.item.ts";
import { testResultItem } from "./items/evaluations/test-result.item.ts";
import { testRunItem } from "./items/evaluations/test-run.item.ts";
import { testSetItem } from "./items/evaluations/test-set.item.ts";
import { eventDeliveryItem } from "./items/events/event-delivery.item.ts";
import { eventEndpointItem } from "./items/events/event-endpoint.item.ts";
import { eventPauseItem } from "./items/events/event-pause.item.ts";
import { approvalItem } from "./items/governance/approval.item.ts";
import { auditAnchorItem } from "./items/governance/audit-anchor.item.ts";
import { auditEventItem } from "./items/governance/audit-event.item.ts";
import { auditHeadItem } from "./items/governance/audit-head.item.ts";
import { auditMarkItem } from "./items/governance/audit-mark.item.ts";
import { budgetItem } from "./items/governance/budget.item.ts";
import { budgetAlertItem } from "./items/governance/budget-alert.item.ts";
import { budgetLedgerItem } from "./items/governance/budget-ledger.item.ts";
import { countedItem } from "./items/governance/counted.item.ts";
import { deletionItem } from "./items/governance/deletion.item.ts";
import { exportItem } from "./items/governance/export.item.ts";
import { exportSegmentItem } from "./items/governance/export-segment.item.ts";
import { ownApprovalItem } from "./items/governance/own-approval.item.ts";
import { pendingExportItem } from "./items/governance/pending-export.item.ts";
import { policyItem } from "./items/governance/policy.item.ts";
import { usageItem } from "./items/governance/usage.item.ts";
import { usageCorrectionItem } from "./items/governance/usage-correction.item.ts";
import { idempotencyItem } from "./items/http/idempotency.item.ts";
import { incidentUpdateItem } from "./items/investigations/incident-update.item.ts";
import { investigationItem } from "./items/investigations/investigation.item.ts";
import { investigationBudgetItem } from "./items/investigations/investigation-budget.item.ts";
import { investigationGroupItem } from "./items/investigations/investigation-group.item.ts";
import { investigationRecordItem } from "./items/investigations/investigation-record.item.ts";
import { queuedInvestigationItem } from "./items/investigations/queued-investigation.item.ts";
import { runningInvestigationsItem } from "./items/investigations/running-investigations.item.ts";
import { collectionItem } from "./items/knowledge/collection.item.ts";
import { collectionNameItem } from "./items/knowledge/collection-name.item.ts";
import { documentItem } from "./items/knowledge/document.item.ts";
import { documentSourceItem } from "./items/knowledge/document-source.item.ts";
import { importTimerItem } from "./items/knowledge/import-timer.item.ts";
import { indexStatisticsItem } from "./items/knowledge/index-statistics.item.ts";
import { knowledgeImportItem } from "./items/knowledge/knowledge-import.item.ts";
import { passageItem } from "./items/knowledge/passage.item.ts";
import { postingsItem } from "./items/knowledge/postings.item.ts";
import { runningImportsItem } from "./items/knowledge/running-imports.item.ts";
import { syncItem } from "./items/knowledge/sync.item.ts";
import { syncEntryItem } from "./items/knowledge/sync-entry.item.ts";
import { syncRemovalItem } from "./items/knowledge/sync-removal.item.ts";
import { vectorCodesItem } from "./items/knowledge/vector-codes.item.ts";
import { vectorStateItem } from "./items/knowledge/vector-state.item.ts";
import { memoryItem } from "./items/memory/memory.item.ts";
import { noteItem } from "./items/memory/note.item.ts";
import { indexedMessageItem } from "./items/message-search/indexed-message.item.ts";
import { messengerEventItem } from "./items/messengers/messenger-event.item.ts";
import { messengerLinkItem } from "./items/messengers/messenger-link.item.ts";
import { messengerLinkRequestItem } from "./items/messengers/messenger-link-request.item.ts";
import { messengerThreadItem } from "./items/messengers/messenger-thread.item.ts";
import { completionItem } from "./items/openai/completion.item.ts";
import { completionCancellationItem } from "./items/openai/completion-cancellation.item.ts";
import { openaiConversationItem } from "./items/openai/openai-conversation.item.ts";
import { openaiConversationItemItem } from "./items/openai/openai-conversation-item.item.ts";
import { openaiResponseItem } from "./items/openai/openai-response.item.ts";
import { endpointItem } from "./items/personas/endpoint.item.ts";
import { languageModelItem } from "./items/personas/language-model.item.ts";
import { personaItem } from "./items/personas/persona.item.ts";
import { personaVersionItem } from "./items/personas/persona-version.item.ts";
import { templateItem } from "./items/personas/template.item.ts";
import { pausedRunItem } from "./items/runs/paused-run.item.ts";
import { runItem } from "./items/runs/run.item.ts";
import { runControlItem } from "./items/runs/run-control.item.ts";
import { runLogItem } from "./items/runs/run-log.item.ts";
import { scheduleItem } from "./items/schedules/schedule.item.ts";
import { scheduleRunItem } from "./items/schedules/schedule-run.item.ts";
import { slackInstallationItem } from "./items/slack/slack-installation.item.ts";
import { slackLookupItem } from "./items/slack/slack-lookup.item.ts";
import { slackTeamItem } from "./items/slack/slack-team.item.ts";
import { slackWorkspaceItem } from "./items/slack/slack-workspace.item.ts";
import { teamsLookupItem } from "./items/teams/teams-lookup.item.ts";
import { teamsWorkspaceItem } from "./items/teams/teams-workspace.item.ts";
import { apiKeyItem } from "./items/tenancy/api-key.item.ts";
import { credentialItem } from "./items/tenancy/credential.item.ts";
import { embedKeyItem } from "./items/tenancy/embed-key.item.ts";
import { groupItem } from "./items/tenancy/group.item.ts";
import { groupNameItem } from "./items/tenancy/group-name.item.ts";
import { invitationItem } from "./items/tenancy/invitation.item.ts";
import { issuerItem } from "./items/tenancy/issuer.item.ts";
import { issuerLookupItem } from "./items/tenancy/issuer-lookup.item.ts";
import { keyRateItem } from "./items/tenancy/key-rate.item.ts";
import { membershipItem } from "./items/tenancy/membership.item.ts";
import { rateItem } from "./items/tenancy/rate.item.ts";
import { roleItem } from "./items/tenancy/role.item.ts";
import { scimNameItem } from "./items/tenancy/scim-name.item.ts";
import { slugItem } from "./items/tenancy/slug.item.ts";
import { storageItem } from "./items/tenancy/storage.item.ts";
import { tenantItem } from "./items/tenancy/tenant.item.ts";
import { userItem } from "./items/tenancy/user.item.ts";
import { toolCallItem } from "./items/tools/tool-call.item.ts";
import { toolConsentItem } from "./items/tools/tool-consent.item.ts";
import { toolServerItem } from "./items/tools/tool-server.item.ts";
import { toolSignInItem } from "./items/tools/tool-sign-in.item.ts";
import { toolTokenItem } from "./items/tools/tool-token.item.ts";
import { deliveryItem } from "./items/webhooks/delivery.item.ts";
import { incidentItem } from "./items/webhooks/incident.item.ts";
import { webhookItem } from "./items/webhooks/webhook.item.ts";
import { webhookLookupItem } from "./items/webhooks/webhook-lookup.item.ts";

/** Pages of all entities. The order is that of the chart of keys. */
export const itemPages = [
  tenantItem,
  userItem,
  policyItem,
  approvalItem,
  ownApprovalItem,
  exportItem,
  deletionItem,
  roleItem,
  groupItem,
  groupNameItem,
  membershipItem,
  apiKeyItem,
  embedKeyItem,
  issuerItem,
  invitationItem,
  webhookItem,
  conversationItem,
  messageItem,
  grantItem,
  embedSessionItem,
  handoverItem,
  shareLinkItem,
  revisionItem,
  attachmentItem,
  summaryItem,
  folderItem,
  folderNameItem,
  templateItem,
  feedbackItem,
  listedFeedbackItem,
  toolCallItem,
  toolConsentItem,
  eventEndpointItem,
  eventDeliveryItem,
  languageModelItem,
  toolServerItem,
  toolTokenItem,
  slackWorkspaceItem,
  teamsWorkspaceItem,
  messengerLinkItem,
  incidentUpdateItem,
  messengerEventItem,
  budgetItem,
  usageCorrectionItem,
  budgetLedgerItem,
  budgetAlertItem,
  personaItem,
  personaVersionItem,
  testSetItem,
  testItemItem,
  testRunItem,
  testResultItem,
  endpointItem,
  collectionItem,
  documentItem,
  knowledgeImportItem,
  syncItem,
  memoryItem,
  noteItem,
  scheduleItem,
  scheduleRunItem,
  webhookLookupItem,
  deliveryItem,
  incidentItem,
  investigationItem,
  sharedViewItem,
  folderEntryItem,
  runItem,
  completionItem,
  vectorStateItem,
  importTimerItem,
  eventPauseItem,
  slackLookupItem,
  teamsLookupItem,
  slackTeamItem,
  slackInstallationItem,
  messengerThreadItem,
  messengerLinkRequestItem,
  slugItem,
  credentialItem,
  issuerLookupItem,
  scimNameItem,
  runControlItem,
  toolSignInItem,
  pausedRunItem,
  runLogItem,
  collectionNameItem,
  runningImportsItem,
  syncEntryItem,
  syncRemovalItem,
  documentSourceItem,
  indexStatisticsItem,
  indexedMessageItem,
  passageItem,
  vectorCodesItem,
  postingsItem,
  exportSegmentItem,
  pendingExportItem,
  auditAnchorItem,
  auditHeadItem,
  auditEventItem,
  auditMarkItem,
  visitorQuestionItem,
  storageItem,
  usageItem,
  countedItem,
  completionCancellationItem,
  openaiResponseItem,
  openaiConversationItem,
  openaiConversationItemItem,
  idempotencyItem,
  investigationRecordItem,
  queuedInvestigationItem,
  runningInvestigationsItem,
  investigationGroupItem,
  investigationBudgetItem,
  rateItem,
  keyRateItem,
] as const;
