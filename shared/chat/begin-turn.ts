import { MEBIBYTE } from "../api/limits.ts";
import type { MessageAttachment } from "../api/message-attachment.ts";
import type { DocumentReference, MessageDocument } from "../api/message-document.ts";
import type { MessengerEventRef } from "../api/messengers/event-ref.ts";
import type { ScheduleRunRef } from "../api/schedules/schedule-run-ref.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { defaultTier, type Tier } from "../api/tiers.ts";
import { type ChatPrincipal, isPersonId } from "../auth/principal.ts";
import {
  findAttachments,
  getAttachmentsToSend,
  type StoredAttachment,
  sentWrite,
  toMessageAttachment,
} from "../conversations/attachments/attachment-store.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { Write } from "../dynamodb/table.ts";
import { admitAnswer } from "../governance/budgets/admit-answer.ts";
import { readBudgets } from "../governance/budgets/applied-budgets.ts";
import { getCurrentPolicy } from "../governance/policy-store.ts";
import { findReadableDocuments } from "../knowledge/search/readable-documents.ts";
import { timestamp } from "../lib/clock.ts";
import { notFound, requireFound, ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { findTraceContext } from "../lib/tracing/trace-context.ts";
import { getInputs } from "../models/capabilities.ts";
import { estimateAnswer } from "../models/estimate-answer.ts";
import { selectModel } from "../models/model.ts";
import { findPersonaForChat, resolveChosenModel } from "../personas/persona-for-chat.ts";
import { findRun, type StoredRun, startRun } from "../runs/run-store.ts";
import type { Tenant } from "../tenancy/tenant-store.ts";
import { MAX_IMAGE_BYTES } from "./context/attached-files.ts";
import { newTurn } from "./new-turn.ts";
import type { Turn } from "./turn.ts";

/** Request to answer a new message, to replace an earlier question by an edited one, or to regenerate an answer. */
export interface TurnRequest {
  readonly conversation_id: string;
  /** Text of the new message; absent if an answer is regenerated. */
  readonly content?: string;
  /** Ids of uploaded files. By default, an edited question keeps the files of the question that it replaces. */
  readonly attachments?: readonly string[];
  /**
   * Documents that the answer is limited to. By default, an edited question keeps the documents of the question that it
   * replaces.
   */
  readonly documents?: readonly DocumentReference[];
  readonly tier?: Tier;
  /** Name of a model that takes precedence over the model of the persona and of the tier. */
  readonly model?: string;
  /** Version of the persona that answers; by default, the one that is published to the user or the conversation. */
  readonly persona_version?: number | undefined;
  /** True if the answer has the tier of the persona unless `tier` is set, as with `persona_version`. */
  readonly hasPersonaTier?: boolean;
  readonly parent_message_id: string | null;
  readonly regenerate_message_id: string | null;
  /** Question that the new message replaces on its branch. */
  readonly edit_message_id?: string | null;
  /** Message that the new message follows; by default, the last message of the active branch. */
  readonly after_message_id?: string | null;
  /** Investigation that the question starts. Its persona takes precedence over that of the conversation. */
  readonly investigation?: { readonly id: string; readonly persona_id: string };
  /** Number of nested calls between personas that led to this question, see `call-depth.ts`. */
  readonly tool_depth?: number;
  /** Event of a messenger, such as Slack, from which the question was created. */
  readonly messenger_event?: MessengerEventRef;
  /** Run of a schedule that asks. No person confirms calls of tools. */
  readonly schedule_run?: ScheduleRunRef;
  /** True if the answer goes to a channel of a messenger, where others than the asker read it. */
  readonly in_channel?: boolean;
}

export interface TurnContext {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /**
   * Returns a write that records the run's id, for example so that a retry of an idempotent request finds the run; null
   * for none.
   */
  recordStart(messageId: string): Write | null;
  readonly tenant: Tenant;
  /** Id of the caller's API key or embed key; null if a person signed in. */
  readonly keyId: string | null;
  /** Embed key of the website whose visitor asks. */
  readonly embedKey?: EmbedKey;
  /** Writes to place in one transaction with the question. If a condition of one fails, the run does not start. */
  readonly transactionWrites?: readonly Write[];
}

/**
 * Stores the run, then the question that it answers.
 * @throws ServiceError `not_found` if the conversation, a message, a document or a file does not exist or the principal
 * cannot access it; `validation_failed` for an unknown model or version of the persona; `forbidden` for a model that is
 * reserved for other groups or that the policy does not offer, and for a version that the user may not choose; `quota_exceeded` if a budget is used up; and the errors of `getAttachmentsToSend`
 * and `requireReadableImages`
 */
export async function beginTurn(principal: ChatPrincipal, request: TurnRequest, context: TurnContext): Promise<Turn> {
  const { tenant, keyId, embedKey } = context;
  const userId = principal.kind === "user" && isPersonId(principal.userId) ? principal.userId : null;
  const authorized = authorizeConversation(principal, request.conversation_id, "WRITE");
  const personaRead = authorized.then(({ persona_id }) => request.investigation?.persona_id ?? persona_id);
  // Nothing waits for it in tenants without budgets.
  personaRead.catch(() => {});
  const spender = { tenant, userId, keyId, embedKey, personaId: personaRead };
  const [conversation, personaId, budgets] = await Promise.all([authorized, personaRead, readBudgets(spender)]);
  const [{ question, files }, persona, chosen] = await Promise.all([
    resolveQuestion(principal, request, conversation.active_message_id ?? null),
    findPersonaForChat(principal, personaId, {
      conversationId: conversation.id,
      version: request.persona_version,
    }),
    request.model === undefined ? null : chooseModel(principal, request.model, personaId),
  ]);
  const hasPersonaTier = request.hasPersonaTier || request.persona_version !== undefined;
  const tier = request.tier ?? (hasPersonaTier ? persona?.tier : undefined) ?? defaultTier;
  const model = selectModel({ tier, model: chosen ?? persona?.model ?? null });
  requireReadableImages(question.attachments ?? [], model);
  const isPending = async (runId: string) => (await findRun(principal, runId)) !== undefined;
  const estimate = () => estimateAnswer(model, request.content ?? "", persona?.max_output_tokens ?? null);
  const admission = budgets && admitAnswer(principal, budgets, estimate(), isPending);
  const traceparent = findTraceContext()?.traceparent;
  const run: StoredRun = {
    message_id: newId(),
    conversation_id: conversation.id,
    user_message_id: question.message_id,
    user_id: principal.userId,
    request_id: context.requestId,
    ...(traceparent !== undefined && { traceparent }),
    parent_id: question.parent_id,
    ...(request.regenerate_message_id !== null && { regenerated: true }),
    ...(principal.kind === "visitor" && { key_id: principal.keyId }),
    persona_id: personaId,
    ...(persona && { persona_version: persona.version }),
    ...(request.investigation && { investigation_id: request.investigation.id }),
    ...(request.messenger_event && { messenger_event: request.messenger_event }),
    ...(request.schedule_run && { schedule_run: request.schedule_run }),
    ...(request.in_channel && { in_channel: true }),
    ...(request.tool_depth && { tool_depth: request.tool_depth }),
    ...{ tier, model, created_at: timestamp() },
    ...(admission && { charges: admission.charges }),
  };
  const startRecord = context.recordStart(run.message_id);
  const isNew = request.content !== undefined;
  const firstWrites = [
    ...(startRecord ? [startRecord] : []),
    ...(context.transactionWrites ?? []),
    ...files.map((file) => sentWrite(principal, file, question.message_id)),
  ];
  await startRun(principal, { conversation, question, isNew, run }, firstWrites, admission?.reserve);
  return newTurn({ principal, conversation, question, run, persona, signal: context.signal });
}

/** @throws ServiceError the errors of `resolveChosenModel` */
async function chooseModel(principal: ChatPrincipal, model: string, personaId: string | null): Promise<string> {
  const { models } = await getCurrentPolicy(principal);
  return resolveChosenModel(principal, { model, personaId, choices: models.choices });
}

/**
 * Requires that the model can read the images of a message. Other files need no check: the prompt contains their text.
 * @throws ServiceError `unsupported_content` if the model reads no images; `payload_too_large` if the images have more than
 * `MAX_IMAGE_BYTES` together
 */
function requireReadableImages(files: readonly MessageAttachment[], model: string): void {
  const images = files.filter(({ kind }) => kind === "image");
  const [first] = images;
  if (first && !getInputs(model).includes("image")) {
    const detail = `The model ${model} does not read images, such as ${first.file_name}. Choose another model or leave them out.`;
    throw new ServiceError("unsupported_content", detail);
  }
  if (images.reduce((sum, { size }) => sum + size, 0) <= MAX_IMAGE_BYTES) return;
  const limit = `The images of a message may have ${MAX_IMAGE_BYTES / MEBIBYTE} MiB together.`;
  throw new ServiceError("payload_too_large", `${limit} Attach smaller ones.`);
}

/**
 * Adds the current titles to references to documents.
 * @throws ServiceError `not_found` if the principal may not read a document or it is not indexed
 */
async function nameDocuments(
  principal: ChatPrincipal,
  references: readonly DocumentReference[],
): Promise<MessageDocument[]> {
  const documents = await findReadableDocuments(principal, references);
  return references.map(({ collection_id, document_id }) => {
    const { title } = documents.get(document_id) ?? {};
    if (title === undefined) throw notFound();
    return { collection_id, document_id, title };
  });
}

const toRefs = (conversation_id: string, attachments: readonly MessageAttachment[] = []) =>
  attachments.map(({ id }) => ({ conversation_id, id }));

/** Question of a turn, and the attachments that `beginTurn` marks as sent with it; none for a regenerated answer. */
interface ResolvedQuestion {
  readonly question: StoredMessage;
  readonly files: readonly StoredAttachment[];
}

/** Returns the stored question if an answer is regenerated, or else a new message that the caller must store. */
async function resolveQuestion(
  principal: ChatPrincipal,
  request: TurnRequest,
  activeId: string | null,
): Promise<ResolvedQuestion> {
  const { conversation_id, content, parent_message_id, regenerate_message_id } = request;
  const { edit_message_id = null, after_message_id = null } = request;
  const requireMessage = async (id: string | undefined) => {
    const message = requireFound(id && (await findMessage(principal, conversation_id, id)));
    return message;
  };
  if (regenerate_message_id !== null) {
    return { question: await requireMessage((await requireMessage(regenerate_message_id)).question_id), files: [] };
  }
  const [edited, after] = await Promise.all([
    edit_message_id === null ? null : requireMessage(edit_message_id),
    after_message_id === null ? null : requireMessage(after_message_id),
    parent_message_id !== null && requireMessage(parent_message_id),
  ]);
  if (edited && edited.role !== "user") throw notFound();
  const parent_id = edited ? edited.parent_id : parent_message_id;
  const after_id = after?.message_id ?? (parent_id === null ? activeId : null);
  const documents = request.documents ? await nameDocuments(principal, request.documents) : (edited?.documents ?? []);
  const files = request.attachments
    ? await getAttachmentsToSend(principal, conversation_id, request.attachments)
    : await findAttachments(principal, toRefs(conversation_id, edited?.attachments));
  const question: StoredMessage = {
    message_id: newId(),
    conversation_id,
    role: "user",
    content: [{ type: "text", text: content ?? "" }],
    status: "complete",
    parent_id,
    ...(edited ? { replaces_id: edited.message_id } : after_id !== null && { after_id }),
    author_id: principal.userId,
    tier: null,
    model: null,
    usage: null,
    alert: null,
    created_at: timestamp(),
    edited_at: null,
    ...(request.investigation && { investigation_id: request.investigation.id }),
    ...(files.length > 0 && { attachments: files.map(toMessageAttachment) }),
    ...(documents.length > 0 && { documents }),
  };
  return { question, files };
}
