import {
  endEmbedHandoverRoute,
  getEmbedHandoverRoute,
  getHandoverRoute,
  listHandoversRoute,
  requestEmbedHandoverRoute,
  sendHandoverMessageRoute,
  updateHandoverRoute,
} from "#shared/api/embed/handovers.ts";
import { listMessagesAfter } from "#shared/conversations/message-store.ts";
import { embedPollRateLimit, embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { MAX_SESSION_MESSAGES } from "#shared/embed/embed-session.ts";
import { authorizeEmbedSession, requireVerifiedVisitor } from "#shared/embed/embed-visitor.ts";
import { newPersonMessage, stopAnswer } from "#shared/embed/held-messages.ts";
import { toEmbedMessage } from "#shared/embed/public-projections.ts";
import { toOwnerMessage } from "#shared/embed/visitor-sessions.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { hideSources } from "#shared/knowledge/readers/hide-sources.ts";
import { findEmbedKey } from "#shared/tenancy/embed-key-store.ts";
import { findUser } from "#shared/tenancy/user-store.ts";
import { toEmbedHandover, toHandover } from "#shared/visitors/describe-handover.ts";
import { endHandover, updateHandover } from "#shared/visitors/handover-changes.ts";
import {
  findHandover,
  getHandover,
  listOpenHandovers,
  requestHandover,
  setContact,
} from "#shared/visitors/handover-store.ts";

export const getEmbedHandoverHandler = endpoint(
  getEmbedHandoverRoute,
  async ({ principal, embedKey, params, query: { after } }) => {
    // Polls are frequent, and the next one reads what this one does not see yet.
    const options = { consistent: false };
    const { conversation_id } = await authorizeEmbedSession(principal, params.id, options);
    const handover = await findHandover(principal, conversation_id, options);
    if (!handover) return { handover: null, messages: [] };
    // Without a new message, its id is the last one that the caller has, and no message is read.
    const isNew = after === undefined || (handover.last_message_id ?? "") > after;
    const messages = isNew ? await listMessagesAfter(principal, conversation_id, after, MAX_SESSION_MESSAGES) : [];
    return {
      handover: await toEmbedHandover(principal, handover, embedKey.handover?.shows_names ?? false),
      // Visitors read knowledge of the whole tenant only.
      messages: (await hideSources({ tenantId: principal.tenantId, userId: null }, messages)).map(toEmbedMessage),
    };
  },
  embedPollRateLimit,
);

export const requestEmbedHandoverHandler = endpoint(
  requestEmbedHandoverRoute,
  async ({ principal, embedKey, params, body: { contact_email } }) => {
    const session = await authorizeEmbedSession(principal, params.id);
    requireVerifiedVisitor(session, embedKey.require_signed_visitor);
    const existing = contact_email === undefined ? undefined : await findHandover(principal, session.conversation_id);
    // An address that is left after the wait does not begin a new one.
    const requested = existing ?? (await requestHandover(principal, embedKey, session, { reason: "visitor" }));
    const handover =
      contact_email === undefined ? requested : await setContact(principal, session.conversation_id, contact_email);
    return toEmbedHandover(principal, handover, embedKey.handover?.shows_names ?? false);
  },
  embedRateLimit,
);

export const endEmbedHandoverHandler = endpoint(
  endEmbedHandoverRoute,
  async ({ principal, params }) => {
    const { conversation_id } = await authorizeEmbedSession(principal, params.id);
    await endHandover(principal, conversation_id);
  },
  embedRateLimit,
);

export const listHandoversHandler = endpoint(listHandoversRoute, async ({ principal, query }) => {
  const { entries, next } = await listOpenHandovers(principal, query);
  return { handovers: entries.map(toHandover), limit: query.limit, next_cursor: next };
});

export const getHandoverHandler = endpoint(
  getHandoverRoute,
  async ({ principal, params: { id }, query: { after } }) => {
    const handover = await getHandover(principal, id);
    const messages = await listMessagesAfter(principal, id, after, MAX_SESSION_MESSAGES);
    return {
      handover: toHandover(handover),
      messages: await Promise.all(messages.map((message) => toOwnerMessage(principal, message))),
    };
  },
);

export const updateHandoverHandler = endpoint(updateHandoverRoute, async ({ principal, params, body }) => {
  const handover = await getHandover(principal, params.id);
  const { userId } = principal;
  const name = principal.name ?? (await findUser(principal, userId))?.name ?? null;
  const updated = await updateHandover(principal, handover, { userId, name }, body);
  if (body.status === "claimed") await stopAnswer(principal, updated);
  return toHandover(updated);
});

export const sendHandoverMessageHandler = endpoint(
  sendHandoverMessageRoute,
  async ({ principal, params, body: { content }, commit }) => {
    const handover = await getHandover(principal, params.id);
    const key = await findEmbedKey(principal, handover.key_id);
    const person = { userId: principal.userId, shownName: key?.handover?.shows_names ? handover.person_name : null };
    const { message, writes } = await newPersonMessage(principal, handover, person, content);
    return commit(toEmbedMessage(message), ...writes);
  },
);
