import {
  acknowledgeInvestigationRoute,
  getInvestigationReviewRoute,
  getInvestigationRoute,
  listInvestigationsRoute,
  mergeInvestigationRoute,
  silenceInvestigationRoute,
} from "#shared/api/investigations/investigations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findMessage } from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { compileResult } from "#shared/investigations/compile-result.ts";
import {
  anyStatus,
  changeInvestigation,
  getInvestigation,
  listMerged,
  toInvestigation,
} from "#shared/investigations/investigation-store.ts";
import { listReadable } from "#shared/investigations/list-readable.ts";
import { mergeInvestigation } from "#shared/investigations/merge-investigation.ts";
import { readRecords } from "#shared/investigations/record-store.ts";
import { renderReview } from "#shared/investigations/render-review.ts";
import { now, timestamp } from "#shared/lib/clock.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { toKnownAlert } from "#shared/webhooks/alert-facts.ts";

export const acknowledgeInvestigationHandler = endpoint(
  acknowledgeInvestigationRoute,
  async ({ principal, params }) => {
    const investigation = await getInvestigation(principal, params.id);
    await authorizeConversation(principal, investigation.conversation_id, "WRITE");
    const acknowledged = { acknowledged_by: principal.userId, acknowledged_at: timestamp() };
    await changeInvestigation(principal, investigation, anyStatus, acknowledged);
    return toInvestigation({ ...investigation, ...acknowledged });
  },
);

export const getInvestigationReviewHandler = endpoint(getInvestigationReviewRoute, async ({ principal, params }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "READ");
  if (!investigation.result) throw new ServiceError("conflict", "The investigation has no result yet.");
  const { similar, ...review } = await renderReview(principal, investigation, investigation.result);
  return { ...review, similar: [...similar] };
});

export const getInvestigationHandler = endpoint(getInvestigationRoute, async ({ principal, params }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "READ");
  const isRunning = investigation.result === null && investigation.message_id !== null;
  const [result, message, merged] = await Promise.all([
    isRunning
      ? readRecords(principal, params.id).then((records) => compileResult(principal, investigation, records))
      : investigation.result,
    findMessage(principal, investigation.conversation_id, investigation.alert_id),
    listMerged(principal, investigation),
  ]);
  return {
    ...toInvestigation(investigation),
    alert: toKnownAlert(message),
    merged: merged.map(toInvestigation),
    result,
  };
});

export const listInvestigationsHandler = endpoint(listInvestigationsRoute, async ({ principal, query }) =>
  pageReply("investigations", await listReadable(principal, query.state, query), query.limit),
);

export const mergeInvestigationHandler = endpoint(mergeInvestigationRoute, async ({ principal, params, body }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "WRITE");
  return toInvestigation(await mergeInvestigation(principal, investigation, body.into));
});

export const silenceInvestigationHandler = endpoint(silenceInvestigationRoute, async ({ principal, params, body }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "WRITE");
  const silenced_until = body.minutes === null ? null : timestamp(now() + body.minutes * 60_000);
  await changeInvestigation(principal, investigation, anyStatus, { silenced_until });
  return toInvestigation({ ...investigation, silenced_until });
});
