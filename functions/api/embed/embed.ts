import script from "browser:widget";
import markdown from "browser:widget/markdown";
import panel from "browser:widget/panel";
import ar from "browser:widget/texts/ar";
import de from "browser:widget/texts/de";
import en from "browser:widget/texts/en";
import es from "browser:widget/texts/es";
import fr from "browser:widget/texts/fr";
import he from "browser:widget/texts/he";
import it from "browser:widget/texts/it";
import ja from "browser:widget/texts/ja";
import ko from "browser:widget/texts/ko";
import nl from "browser:widget/texts/nl";
import pl from "browser:widget/texts/pl";
import pt from "browser:widget/texts/pt";
import ru from "browser:widget/texts/ru";
import tr from "browser:widget/texts/tr";
import zh from "browser:widget/texts/zh";
import zhHant from "browser:widget/texts/zh-hant";
import {
  confirmEmbedToolCallRoute,
  getEmbedConfigRoute,
  getEmbedSessionRoute,
  getWidgetPartRoute,
  getWidgetRoute,
  rateEmbedMessageRoute,
  requestEmbedTranscriptRoute,
  startEmbedSessionRoute,
  stopEmbedMessageRoute,
} from "#shared/api/embed/embed.ts";
import { requireRateableMessage } from "#shared/conversations/feedback/feedback-rules.ts";
import {
  newFeedback,
  newFeedbackWrites,
  readFeedback,
  replaceFeedbackWrites,
} from "#shared/conversations/feedback/feedback-store.ts";
import { getMessage } from "#shared/conversations/message-store.ts";
import { checkForm } from "#shared/embed/check-form.ts";
import { getSessionApproval, requireToolOfVisitor } from "#shared/embed/confirm-tool-call.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import {
  buildEmbedSession,
  getPublicPersona,
  getSessionLimits,
  getSessionRun,
  loadEmbedSession,
} from "#shared/embed/embed-session.ts";
import {
  assignVisitorId,
  authorizeEmbedSession,
  authorizeResumption,
  hashVisitorAddress,
  requireVerifiedVisitor,
  verifyVisitor,
} from "#shared/embed/embed-visitor.ts";
import { deriveTheme } from "#shared/embed/theme.ts";
import { toFirstPage } from "#shared/embed/visitor-sessions.ts";
import { transitionWrite } from "#shared/governance/approvals/approval-store.ts";
import { applyConfirmation } from "#shared/governance/approvals/approval-transitions.ts";
import { endpoint, secretEndpoint } from "#shared/http/endpoint.ts";
import { createOrReplace } from "#shared/http/idempotency/create-or-replace.ts";
import { Reply, textReply } from "#shared/http/reply.ts";
import { transition } from "#shared/http/transition.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";
import { stopRun } from "#shared/runs/stop-run.ts";
import { newEmbedSession, transcriptWrite, visitorWrite } from "#shared/visitors/embed-session-store.ts";

// Browsers reuse the theme for five minutes, so that visitors who browse a site cause few requests.
const configCaching = { "cache-control": "private, max-age=300" };

export const getEmbedConfigHandler = endpoint(
  getEmbedConfigRoute,
  async ({ embedKey: { theme, form } }) =>
    new Reply(200, { theme: deriveTheme(theme), ...(form && { form }) }, configCaching),
);

export const getEmbedSessionHandler = endpoint(
  getEmbedSessionRoute,
  async ({ principal, embedKey, params }) =>
    buildEmbedSession(principal, embedKey, await authorizeEmbedSession(principal, params.id)),
  embedRateLimit,
);

const texts: Readonly<Record<string, string>> = {
  ar,
  de,
  en,
  es,
  fr,
  he,
  it,
  ja,
  ko,
  nl,
  pl,
  pt,
  ru,
  tr,
  zh,
  "zh-hant": zhHant,
};

const parts: Readonly<Record<string, string>> = { "panel.js": panel, "markdown.js": markdown };

// The parts change with the script of the widget, which is cached for the same time.
const partCaching = { "cache-control": "public, max-age=300, stale-while-revalidate=86400" };

export const getWidgetPartHandler = endpoint(getWidgetPartRoute, async ({ params: { part } }) => {
  const script = parts[part] ?? texts[part.slice("texts-".length, -".js".length)];
  if (script === undefined) throw notFound();
  return textReply(200, "text/javascript; charset=utf-8", script, partCaching);
});

// CloudFront and browsers cache the script for five minutes, which bounds the rollout time of a new version.
const scriptCaching = { "cache-control": "public, max-age=300, stale-while-revalidate=86400" };

export const getWidgetHandler = endpoint(getWidgetRoute, async () =>
  textReply(200, "text/javascript; charset=utf-8", script, scriptCaching),
);

export const rateEmbedMessageHandler = endpoint(
  rateEmbedMessageRoute,
  async ({ principal, params, body: { rating }, commit }) => {
    const { conversation_id, visitor_id } = await authorizeEmbedSession(principal, params.id);
    const { message_id } = params;
    const message = await getMessage(principal, conversation_id, message_id);
    requireRateableMessage(message);
    const fields = { rating, query_hash: null, category: null, comment: null, wrong_rules: [] };
    const feedback = newFeedback(message, { ...fields, user_id: visitor_id });
    const reply = new Reply(200, { message_id, rating });
    return createOrReplace(
      commit,
      (exists) => ({ reply, writes: newFeedbackWrites(principal, feedback, exists) }),
      (existing) => {
        const { id, created_at } = readFeedback(existing);
        return { reply, writes: replaceFeedbackWrites(principal, { ...feedback, id, created_at }) };
      },
    );
  },
  embedRateLimit,
);

export const startEmbedSessionHandler = secretEndpoint(
  startEmbedSessionRoute,
  async ({ principal, embedKey, address, headers, body, commit }) => {
    const { session_id, page } = body;
    const identity = await verifyVisitor(principal, body.visitor, embedKey.require_signed_visitor);
    // Only calls of tools need it.
    const visitor = embedKey.tools.length > 0 ? identity.signed : null;
    // The key is public, and programs send no origin.
    if (headers.origin === undefined && !identity.verified) throw new ServiceError("origin_not_allowed");
    if (session_id !== undefined) {
      const session = await authorizeResumption(principal, session_id, identity);
      const writes = visitor ? [visitorWrite(principal, session, visitor)] : [];
      return commit(new Reply(200, { conversation_id: session.conversation_id }), ...writes);
    }
    const { session, writes } = newEmbedSession(
      principal,
      {
        key_id: principal.keyId,
        visitor_id: assignVisitorId(principal, identity),
        identified_as: identity.id,
        counted_for: identity.verified && identity.id ? identity.id : await hashVisitorAddress(address),
        ...toFirstPage(headers.origin, page),
        visitor,
        form: checkForm(embedKey.form, body.form),
      },
      await getPublicPersona(principal, embedKey.persona_id),
      getSessionLimits(embedKey),
    );
    return commit(new Reply(201, { conversation_id: session.conversation_id }), ...writes);
  },
  ({ conversation_id }, _, { principal, embedKey }) => loadEmbedSession(principal, embedKey, conversation_id),
  embedRateLimit,
);

export const confirmEmbedToolCallHandler = endpoint(
  confirmEmbedToolCallRoute,
  async ({ principal, embedKey, params: { id, approval_id }, body: { decision }, commit }) => {
    const session = await authorizeEmbedSession(principal, id);
    requireVerifiedVisitor(session, embedKey.require_signed_visitor);
    const approval = await getSessionApproval(principal, session, approval_id);
    if (decision === "approve") await requireToolOfVisitor(principal, embedKey, session, approval);
    const confirmation = { decision, by: session.visitor_id, at: timestamp() };
    return transition(
      commit,
      approval,
      (from) => applyConfirmation(from, confirmation),
      (next, onConflict) => transitionWrite(principal, next, onConflict),
    );
  },
  embedRateLimit,
);

export const stopEmbedMessageHandler = endpoint(
  stopEmbedMessageRoute,
  async ({ principal, params: { id, message_id }, commit }) => {
    const session = await authorizeEmbedSession(principal, id);
    return stopRun(principal, await getSessionRun(principal, session, message_id), commit);
  },
  embedRateLimit,
);

export const requestEmbedTranscriptHandler = endpoint(
  requestEmbedTranscriptRoute,
  async ({ principal, embedKey, params, body: { email }, commit }) => {
    const session = await authorizeEmbedSession(principal, params.id);
    if (!embedKey.transcripts) throw new ServiceError("forbidden", "This website sends no transcripts.");
    requireVerifiedVisitor(session, embedKey.require_signed_visitor);
    return commit(new Reply(202, { email }), transcriptWrite(principal, session, email));
  },
  embedRateLimit,
);
