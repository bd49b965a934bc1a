import type { MessengerEventRef } from "#shared/api/messengers/event-ref.ts";
import type { ScheduleRunRef } from "#shared/api/schedules/schedule-run-ref.ts";
import { isVisitorId } from "#shared/api/user-ids.ts";
import type { KeyKind } from "#shared/auth/credentials.ts";
import type { Change, ChangeRule } from "#shared/changes/processor.ts";
import { deleteAttachmentFiles } from "#shared/conversations/attachments/attachment-files.ts";
import { readConversation } from "#shared/conversations/conversation-store.ts";
import { readFeedback } from "#shared/conversations/feedback/feedback-store.ts";
import { purgeFolder } from "#shared/conversations/folders/folder-purge.ts";
import { readMessage } from "#shared/conversations/message-store.ts";
import { hasCurrentExpiry, type RetainedItem } from "#shared/conversations/retention.ts";
import { updateGrantActivity } from "#shared/conversations/sharing/grant-store.ts";
import type { Item } from "#shared/dynamodb/table.ts";
import { scopeFromKey } from "#shared/dynamodb/tenant-scope.ts";
import { countVisitors, visitorChangeTypes } from "#shared/embed/count-visitors.ts";
import { recordDislike, recordGap } from "#shared/embed/record-unanswered.ts";
import { purgeTestRuns } from "#shared/evaluations/runs/result-store.ts";
import { scheduleTestRun } from "#shared/evaluations/runs/schedule-run.ts";
import { readTestRun } from "#shared/evaluations/runs/test-run-store.ts";
import { purgeTestItems } from "#shared/evaluations/test-item-store.ts";
import { deleteTestSetsOf } from "#shared/evaluations/test-set-store.ts";
import { emitEvents, scheduleRequestedDelivery } from "#shared/events/emit-events.ts";
import { eventChangeTypes, toCountableReply, usageChangeTypes } from "#shared/events/to-event.ts";
import type { StoredApproval } from "#shared/governance/approvals/approval-store.ts";
import { deleteVisitorApprovals } from "#shared/governance/approvals/delete-visitor-approvals.ts";
import { executeApprovedAction } from "#shared/governance/approvals/execute-approved-action.ts";
import { recordAlerts } from "#shared/governance/budgets/budget-alerts.ts";
import { scheduleDeletion } from "#shared/governance/erasure/schedule-deletion.ts";
import { scheduleExport } from "#shared/governance/exports/schedule-export.ts";
import { defaultPolicy } from "#shared/governance/policy-rules.ts";
import { readPolicy } from "#shared/governance/policy-store.ts";
import { scheduleRetention } from "#shared/governance/retention/apply-retention.ts";
import { retainConversation } from "#shared/governance/retention/retention-store.ts";
import { scheduleTenantDeletion } from "#shared/governance/tenant-deletion/schedule-tenant-deletion.ts";
import { countReplyUsage } from "#shared/governance/usage/count-reply-usage.ts";
import { releaseStorage, storageChangeTypes } from "#shared/governance/usage/release-storage.ts";
import { admitAlert } from "#shared/investigations/admit-alert.ts";
import { finishInvestigation } from "#shared/investigations/finish-investigation.ts";
import { purgeInvestigations } from "#shared/investigations/investigation-store.ts";
import { requestResultNote } from "#shared/investigations/updates/request-result-note.ts";
import { decideUpdate } from "#shared/investigations/updates/request-update.ts";
import { scheduleUpdate } from "#shared/investigations/updates/schedule-update.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { deleteConversationMemories } from "#shared/memory/memory-store.ts";
import { detachNotes } from "#shared/memory/note-store.ts";
import { deleteLinksOf } from "#shared/messengers/link-store.ts";
import { placesOf, recordPost } from "#shared/messengers/post-alert.ts";
import { scheduleMessengerJob } from "#shared/messengers/schedule.ts";
import { deleteVersions } from "#shared/personas/version-store.ts";
import { scheduleContinuation } from "#shared/runs/pauses/schedule-continuation.ts";
import { purgeConversation } from "#shared/runs/purge-conversation.ts";
import type { StoredRun } from "#shared/runs/run-store.ts";
import { scheduleRunCheck } from "#shared/runs/run-watchdog.ts";
import { finishScheduledRun } from "#shared/schedules/end-run.ts";
import { deleteScheduleRuns } from "#shared/schedules/schedule-run-store.ts";
import { type ScheduleRunJob, scheduleAttempt } from "#shared/schedules/schedule-start.ts";
import { finishScheduledTests } from "#shared/schedules/scheduled-tests.ts";
import { recordKeyUse } from "#shared/tenancy/credential-store.ts";
import { syncTokenGroups } from "#shared/tenancy/members/sync-token-groups.ts";
import { endEmbedSession } from "#shared/visitors/embed-session-store.ts";
import { requestAfterGaps } from "#shared/visitors/request-after-gaps.ts";
import { findWebhookChannelOfTenant, unmapWebhookChannels } from "#shared/webhooks/webhook-channel-store.ts";
import { auditRule } from "./audit-rule.ts";

/**
 * Returns the conversation of a deletion: one that was marked as deleted, or that TTL removed. Returns undefined if the purge
 * removes a conversation that was already marked, because the rules have run for it.
 */
const deletedConversation = ({ before, after }: Change) => after ?? (before?.deleted ? undefined : before);

/** Rules that update or delete other items after a change, and write the audit trail. */
export const cascadeRules: readonly ChangeRule[] = [
  auditRule,
  {
    id: "note-key-use",
    // The rate counter of a key is created by its first request in each minute. This records the last use without an extra
    // write per request.
    on: ["key-rate-created"],
    apply: async ({ after, timestamp: at }) => {
      if (after) {
        await recordKeyUse(
          scopeFromKey(String(after.pk)),
          after.key_kind as KeyKind,
          String(after.key_id),
          timestamp(at),
        );
      }
    },
  },
  {
    id: "join-groups-of-token",
    // A user is written at most once an hour without changes, so that a new group gets its members, too.
    on: ["user-created", "user-updated"],
    apply: async ({ before, after }) => {
      if (after) await syncTokenGroups(scopeFromKey(String(after.pk)), after, before);
    },
  },
  {
    id: "unmap-webhooks",
    on: ["conversation-deleted"],
    apply: async (change) => {
      const conversation = deletedConversation(change);
      if (conversation) await unmapWebhookChannels(scopeFromKey(String(conversation.pk)), String(conversation.id));
    },
  },
  {
    id: "watch-run",
    on: ["run-created"],
    apply: async ({ after }) => {
      if (after) await scheduleRunCheck({ ...scopeFromKey(String(after.pk)), messageId: String(after.message_id) });
    },
  },
  {
    id: "purge-conversation",
    on: ["conversation-deleted"],
    apply: async (change) => {
      const conversation = deletedConversation(change);
      if (conversation) await purgeConversation(conversation);
    },
  },
  {
    id: "investigate-alert",
    on: ["delivery-created"],
    // One at a time, so that the alerts of a storm find the investigation that the first of them started.
    concurrency: 1,
    apply: async ({ after }) => {
      if (!after?.is_investigated) return;
      await admitAlert(scopeFromKey(String(after.pk)), {
        channelId: String(after.channel_id),
        messageId: String(after.message_id),
        incident: typeof after.incident === "string" ? after.incident : null,
      });
    },
  },
  {
    id: "finish-investigation",
    // The answer of a run is stored once, by the run itself or, after its function died, by the reaper
    // (`shared/runs/reap-dead-run.ts`).
    on: ["message-created"],
    apply: async ({ after }) => {
      if (after?.role !== "assistant" || after.investigation_id === undefined) return;
      const ref = { id: String(after.investigation_id), conversation_id: String(after.conversation_id) };
      await finishInvestigation(scopeFromKey(String(after.pk)), ref, String(after.message_id));
    },
  },
  {
    id: "post-alert-to-messengers",
    on: ["delivery-created"],
    apply: async ({ after }) => {
      if (!after?.is_posted) return;
      const scope = scopeFromKey(String(after.pk));
      const channel = await findWebhookChannelOfTenant(scope, String(after.channel_id));
      if (!channel?.conversation_id) return;
      // The id of a message. `alert_id` of the delivery is the id that the provider gave.
      const alert = { conversation_id: channel.conversation_id, alert_id: String(after.message_id) };
      await Promise.all(placesOf(channel).map((place) => recordPost(scope, { ...place, ...alert })));
    },
  },
  {
    id: "post-result-to-messengers",
    on: ["investigation-updated"],
    apply: async ({ before, after }) => {
      if (after?.status !== "completed" || before?.status === "completed") return;
      const scope = scopeFromKey(String(after.pk));
      const channel = await findWebhookChannelOfTenant(scope, String(after.channel_id));
      if (!channel) return;
      // Here, too, `alert_id` is the id of a message.
      const { id, conversation_id, alert_id } = after as Record<string, string>;
      const result = {
        conversation_id: String(conversation_id),
        alert_id: String(alert_id),
        investigation_id: String(id),
      };
      await Promise.all(placesOf(channel).map((place) => recordPost(scope, { ...place, ...result })));
    },
  },
  {
    id: "start-schedule-run",
    on: ["schedule-run-created", "schedule-run-updated"],
    concurrency: 100,
    apply: async ({ before, after }) => {
      // A change of a run that already waits, such as its conversation, starts nothing.
      if (after?.status !== "pending" || (before?.status === "pending" && before.attempts === after.attempts)) return;
      const scheduleRun = after as unknown as ScheduleRunJob["scheduleRun"];
      await scheduleAttempt({ ...scopeFromKey(String(after.pk)), scheduleRun }, Number(after.attempts));
    },
  },
  {
    id: "finish-schedule-run",
    // The answer of a run is stored once, as for `finish-investigation`.
    on: ["message-created"],
    apply: async ({ after }) => {
      if (after?.role !== "assistant" || !after.schedule_run) return;
      const ref = after.schedule_run as ScheduleRunRef;
      await finishScheduledRun(scopeFromKey(String(after.pk)), ref, String(after.message_id));
    },
  },
  {
    id: "finish-scheduled-tests",
    on: ["test-run-updated"],
    apply: async ({ before, after }) => {
      if (!after?.schedule_run || after.status === before?.status) return;
      const ref = after.schedule_run as ScheduleRunRef;
      await finishScheduledTests(scopeFromKey(String(after.pk)), ref, readTestRun(after as Item));
    },
  },
  {
    id: "delete-schedule-runs",
    on: ["schedule-deleted"],
    apply: async ({ before }) => {
      if (before) await deleteScheduleRuns(scopeFromKey(String(before.pk)), String(before.id));
    },
  },
  {
    id: "note-result-in-monitoring-tool",
    on: ["investigation-updated"],
    apply: async ({ before, after }) => {
      if (after?.status !== "completed" || before?.status === "completed") return;
      const { id, conversation_id, channel_id, pk } = after as Record<string, string>;
      const ref = { id: String(id), conversation_id: String(conversation_id), channel_id: String(channel_id) };
      await requestResultNote(scopeFromKey(String(pk)), ref);
    },
  },
  {
    id: "decide-incident-update",
    on: ["approval-updated"],
    apply: async ({ after }) => {
      if (after?.incident_update)
        await decideUpdate(scopeFromKey(String(after.pk)), after as unknown as StoredApproval);
    },
  },
  {
    id: "schedule-incident-update",
    on: ["incident-update-created", "incident-update-updated"],
    apply: async ({ before, after }) => {
      if (after?.status !== "pending" || before?.status === "pending") return;
      const update = { id: String(after.id), investigation_id: String(after.investigation_id) };
      await scheduleUpdate({ ...scopeFromKey(String(after.pk)), update });
    },
  },
  {
    id: "purge-investigations",
    on: ["conversation-deleted"],
    apply: async (change) => {
      const conversation = deletedConversation(change);
      if (conversation) await purgeInvestigations(scopeFromKey(String(conversation.pk)), String(conversation.id));
    },
  },
  {
    id: "end-embed-session",
    // TTL removes an expired session; this deletes its conversation and what the visitor was asked.
    on: ["embed-session-deleted"],
    apply: async ({ before }) => {
      if (!before) return;
      const visitor = { ...scopeFromKey(String(before.pk)), userId: String(before.visitor_id) };
      await deleteVisitorApprovals(visitor, String(before.conversation_id));
      await endEmbedSession(visitor, String(before.conversation_id));
    },
  },
  {
    id: "delete-attachment-files",
    on: ["attachment-deleted"],
    apply: async ({ before }) => {
      if (!before) return;
      const ref = { conversation_id: String(before.conversation_id), id: String(before.id) };
      await deleteAttachmentFiles(scopeFromKey(String(before.pk)), ref);
    },
  },
  {
    id: "delete-persona-versions",
    on: ["persona-deleted"],
    apply: async ({ before }) => {
      if (before) await deleteVersions(scopeFromKey(String(before.pk)), String(before.id));
    },
  },
  {
    id: "delete-test-sets",
    on: ["persona-deleted"],
    apply: async ({ before }) => {
      if (before) await deleteTestSetsOf(scopeFromKey(String(before.pk)), String(before.id));
    },
  },
  {
    id: "purge-test-set",
    on: ["test-set-deleted"],
    apply: async ({ before }) => {
      if (!before) return;
      const scope = scopeFromKey(String(before.pk));
      await Promise.all([purgeTestItems(scope, String(before.id)), purgeTestRuns(scope, String(before.id))]);
    },
  },
  {
    id: "start-test-run",
    on: ["test-run-created"],
    apply: async ({ after }) => {
      if (after) await scheduleTestRun({ ...scopeFromKey(String(after.pk)), testRun: String(after.id) });
    },
  },
  {
    id: "purge-folder",
    on: ["folder-deleted"],
    apply: async ({ after }) => {
      if (after) {
        await purgeFolder({ ...scopeFromKey(String(after.pk)), userId: String(after.owner_id) }, String(after.id));
      }
    },
  },
  {
    id: "forget-conversation",
    on: ["conversation-deleted"],
    apply: async (change) => {
      const conversation = deletedConversation(change);
      if (!conversation) return;
      const scope = scopeFromKey(String(conversation.pk));
      await Promise.all([
        deleteConversationMemories(scope, String(conversation.id)),
        detachNotes(scope, String(conversation.id)),
      ]);
    },
  },
  {
    id: "continue-run",
    on: ["approval-updated"],
    // Only the decision on an approval continues its run. The run later writes its result to the approval, and that
    // write must not start the run again.
    apply: async ({ before, after }) => {
      const { run, status, id } = after as Partial<StoredApproval>;
      if (!run || status === "pending" || before?.status !== "pending") return;
      await scheduleContinuation({
        ...scopeFromKey(String(after?.pk)),
        messageId: run.message_id,
        approvalId: String(id),
      });
    },
  },
  {
    id: "continue-handed-over-run",
    on: ["run-updated"],
    apply: async ({ before, after }) => {
      const { message_id: messageId, hand_over_id: handOverId } = after as Partial<StoredRun>;
      if (!messageId || !handOverId || handOverId === before?.hand_over_id) return;
      await scheduleContinuation({ ...scopeFromKey(String(after?.pk)), messageId, handOverId });
    },
  },
  {
    id: "start-messenger-work",
    // Events and posts of all messengers have this type.
    on: ["messenger-event-created"],
    concurrency: 100,
    apply: async ({ after }) => {
      if (after) {
        const messengerEvent = after as unknown as MessengerEventRef;
        await scheduleMessengerJob({ ...scopeFromKey(String(after.pk)), messengerEvent, step: "start" });
      }
    },
  },
  {
    id: "unlink-messenger-accounts",
    on: ["slack-workspace-deleted", "teams-workspace-deleted"],
    apply: async ({ before }) => {
      if (before) await deleteLinksOf(scopeFromKey(String(before.pk)), String(before.id));
    },
  },
  {
    id: "ask-in-messenger",
    on: ["approval-created"],
    apply: async ({ after }) => {
      const { run, id = "" } = (after ?? {}) as Partial<StoredApproval>;
      const messengerEvent = run?.messenger_event;
      if (!messengerEvent) return;
      const scope = scopeFromKey(String(after?.pk));
      await scheduleMessengerJob({ ...scope, messengerEvent, step: "approval", approvalId: id });
    },
  },
  {
    id: "finish-messenger-answer",
    // The function that streams an answer posts its end itself, unless it dies or the run continues in another one.
    on: ["message-created"],
    apply: async ({ after }) => {
      const messengerEvent = after?.messenger_event as MessengerEventRef | undefined;
      if (after?.role !== "assistant" || !messengerEvent) return;
      await scheduleMessengerJob({ ...scopeFromKey(String(after.pk)), messengerEvent, step: "finish" });
    },
  },
  {
    id: "count-usage",
    on: usageChangeTypes,
    concurrency: 100,
    apply: async ({ type, after }) => {
      const reply = after && toCountableReply(type, after);
      if (reply?.usage || reply?.checks || reply?.charges) await countReplyUsage(reply);
    },
  },
  {
    id: "release-storage",
    on: storageChangeTypes,
    concurrency: 100,
    apply: releaseStorage,
  },
  {
    id: "record-question-without-source",
    on: ["message-created"],
    apply: async ({ after }) => {
      if (after?.visitor_question === undefined) return;
      const scope = scopeFromKey(String(after.pk));
      const answer = readMessage(after as Item);
      await Promise.all([recordGap(scope, answer), requestAfterGaps(scope, answer)]);
    },
  },
  {
    id: "record-disliked-question",
    on: ["feedback-created", "feedback-updated"],
    apply: async ({ before, after }) => {
      if (after?.rating !== "down" || before?.rating === "down" || !isVisitorId(String(after.user_id))) return;
      await recordDislike(scopeFromKey(String(after.pk)), readFeedback(after as Item));
    },
  },
  {
    id: "count-visitors",
    on: visitorChangeTypes,
    concurrency: 100,
    apply: countVisitors,
  },
  {
    id: "record-budget-alerts",
    on: ["budget-ledger-created", "budget-ledger-updated"],
    concurrency: 100,
    apply: recordAlerts,
  },
  {
    id: "emit-events",
    on: eventChangeTypes,
    concurrency: 100,
    apply: emitEvents,
  },
  {
    id: "schedule-event-delivery",
    on: ["event-delivery-created", "event-delivery-updated"],
    concurrency: 100,
    apply: scheduleRequestedDelivery,
  },
  {
    id: "carry-out-approval",
    on: ["approval-created", "approval-updated"],
    apply: async ({ after }) => {
      if (after?.status !== "approved" || after.result !== null) return;
      await executeApprovedAction(scopeFromKey(String(after.pk)), String(after.id));
    },
  },
  {
    id: "build-export",
    on: ["export-created"],
    apply: async ({ after }) => {
      if (after?.status === "pending") {
        await scheduleExport({
          ...scopeFromKey(String(after.pk)),
          userId: String(after.owner_id),
          id: String(after.id),
        });
      }
    },
  },
  {
    id: "delete-data",
    on: ["deletion-created"],
    apply: async ({ after }) => {
      if (after) await scheduleDeletion({ ...scopeFromKey(String(after.pk)), id: String(after.id) });
    },
  },
  {
    id: "delete-tenant",
    on: ["tenant-updated"],
    apply: async ({ before, after }) => {
      if (!after?.deletion_requested_at || before?.deletion_requested_at) return;
      await scheduleTenantDeletion(String(after.tenant_id));
    },
  },
  {
    id: "retain-conversation",
    // Activity that was concurrent with a change of the retention policy can have set an outdated expiry; correct it.
    on: ["conversation-created", "conversation-updated"],
    apply: async ({ before, after }) => {
      if (!after || after.deleted) return;
      // A conversation that is new, or no longer temporary, has the expiry of the policy from now on.
      const isSettled = before?.temporary === after.temporary && before !== undefined;
      if (isSettled && hasCurrentExpiry(after as unknown as RetainedItem)) return;
      await retainConversation(scopeFromKey(String(after.pk)), String(after.id));
    },
  },
  {
    id: "apply-retention",
    on: ["policy-created", "policy-updated"],
    apply: async ({ before, after }) => {
      if (!after) return;
      const [previous, current] = [before ? readPolicy(before) : defaultPolicy, readPolicy(after)];
      if (previous.retention.conversation_days === current.retention.conversation_days) return;
      await scheduleRetention({ ...scopeFromKey(String(after.pk)), from: {} });
    },
  },
  {
    id: "move-grants",
    on: ["conversation-updated"],
    // Also run when a conversation is shared for the first time: the first grant can contain an outdated activity time.
    apply: async ({ before, after }) => {
      if (!after?.shared || (before?.shared && before.last_activity_at === after.last_activity_at)) return;
      await updateGrantActivity(scopeFromKey(String(after.pk)), readConversation(after as Item));
    },
  },
];
