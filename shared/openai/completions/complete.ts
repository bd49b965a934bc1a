import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ChatCompletionRequest } from "../../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import type { TokenLimit } from "../../governance/budgets/admit-answer.ts";
import { readBudgets } from "../../governance/budgets/applied-budgets.ts";
import { returnReservations } from "../../governance/budgets/ledger-store.ts";
import { getCurrentPolicy } from "../../governance/policy-store.ts";
import { blocksAnswers } from "../../guardrails/apply-policy.ts";
import { crisisParagraph, refusalMessage } from "../../guardrails/canned-messages.ts";
import { narrowPolicy } from "../../guardrails/narrow-policy.ts";
import type { Charges } from "../../lib/charges.ts";
import { now } from "../../lib/clock.ts";
import { inputsOf } from "../../models/capabilities.ts";
import { type ChatChunk, type ChatCompletion, cacheWriteOf, type ReportedUsage } from "../../models/chat-chunk.ts";
import { selectModel, withFallback } from "../../models/model.ts";
import { getModel } from "../../models/model-table.ts";
import { answerTimeoutMs, isCompatible, openCompletion, requestCompletion } from "../../models/open-completion.ts";
import { shiftMessages, toRefusal } from "../../models/provider-refusal.ts";
import { toUsage } from "../../models/tokens.ts";
import type { Endpoint } from "../../personas/endpoint-store.ts";
import { resolveTenantModel } from "../../personas/tenant-models.ts";
import type { Tenant } from "../../tenancy/tenant-store.ts";
import { admitCompletion } from "../admit-completion.ts";
import { requireInputs, requireTextLength } from "../content-parts.ts";
import { getEndpoint } from "../model.ts";
import { buildModelRequest, type ModelRequest } from "../model-request.ts";
import { requireToolCalls } from "../prompt-messages.ts";
import { selectFields } from "../request-fields.ts";
import { completeRounds, streamRounds } from "./answer-rounds.ts";
import { type CompletionAnswer, type CompletionHead, CompletionWriter, type Delta } from "./completion.ts";
import { newCompletionId } from "./completion-cancellation.ts";
import { recordCompletion } from "./completion-store.ts";
import { toDeltas } from "./format-completion.ts";
import { loadTools, ToolRounds } from "./tool-rounds.ts";

/** Completion of the OpenAI-compatible API, generated now or read from the store. */
export interface Completion {
  readonly head: CompletionHead;
  /** Deltas of the message; if they end without an error, the answer is complete. */
  readonly deltas: AsyncIterable<Delta> | Iterable<Delta>;
  /** Returns the answer with all deltas consumed so far. */
  answer(): CompletionAnswer;
  /** Returns true while the end of the text is held back, because it may be the start of sensitive data. */
  hasHeldText?(): boolean;
}

/** Completion that a model generates for this request, as opposed to a stored answer. */
export interface GeneratedCompletion extends Completion {
  readonly deltas: AsyncGenerator<Delta, void>;
  /** Start of the request, as `performance.now()` returned it. */
  readonly startedAt: number;
  readonly endpoint: Endpoint;
  /** Budget counters to which the completion is charged; undefined in tenants without budgets. */
  readonly charges: Charges | undefined;
  readonly tokenLimit: TokenLimit | null;
}

/**
 * Requires that the model supports all fields and content parts of a request.
 * @throws ServiceError `validation_failed`, or `payload_too_large` for too much text
 */
function requireSupported(request: ChatCompletionRequest, modelId: string): void {
  const model = getModel(modelId);
  selectFields(request, isCompatible(model) ? "compatible" : "adapted", model.unknownFields);
  requireToolCalls(request.messages);
  requireTextLength(request.messages);
  requireInputs(request.messages, inputsOf(model));
}

export interface CompleteOptions {
  readonly tenant: Tenant;
  /** Called when an attempt has failed and another one will follow. */
  readonly onRetry?: () => void;
  readonly id?: string;
  /** Aborts the generation, for example when the client has disconnected. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a completion: checks budgets and the caller's messages, then calls the model. If a guardrail blocks the
 * messages, the completion contains a refusal.
 * @throws ServiceError `not_found` for an unknown model, `validation_failed`, `quota_exceeded`, or the provider's error
 */
export async function complete(
  principal: ApiKeyPrincipal,
  request: ChatCompletionRequest,
  { tenant, onRetry, signal, ...options }: CompleteOptions,
): Promise<GeneratedCompletion> {
  const id = options.id ?? (await newCompletionId(principal, "chatcmpl-"));
  const startedAt = performance.now();
  const endpointRead = getEndpoint(principal, request.model);
  const personaId = endpointRead.then((read) => read.persona_id);
  // Nothing waits for it in tenants without budgets.
  personaId.catch(() => {});
  const [endpoint, policy, budgets] = await Promise.all([
    // Keys belong to no group: the endpoints that they name decide on the model.
    endpointRead.then(async (read) => (await resolveTenantModel(principal, read)).preference),
    getCurrentPolicy(principal),
    readBudgets({ tenant, userId: null, keyId: principal.keyId, personaId }),
  ]);
  const guardrails = narrowPolicy(policy.guardrails, endpoint.guardrails, principal.guardrails);
  const head = { id, created: Math.floor(now() / 1_000), model: request.model };
  const primaryId = selectModel(endpoint);
  requireSupported(request, primaryId);
  const admission = budgets && admitCompletion(principal, budgets, primaryId, request);
  const charges = admission?.charges;
  const admitted = { startedAt, endpoint, charges, tokenLimit: admission?.tokenLimit ?? null };
  const returnAndThrow = async (error: unknown) => {
    await returnReservations(principal, id, charges);
    throw error;
  };
  const [[tools, modelRequest]] = await Promise.all([
    loadTools(principal, endpoint, request, { id, model: primaryId, guardrails }).then(
      async (loaded) => [loaded, await buildModelRequest(principal, endpoint, request, guardrails, loaded)] as const,
    ),
    admission?.reserve(id),
  ]).catch(returnAndThrow);
  const writer = new CompletionWriter(guardrails, modelRequest?.protection);
  if (!modelRequest) {
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0, model: primaryId };
    return { ...admitted, head, deltas: refuse(writer), answer: () => writer.answer(head, usage) };
  }
  const toolSignal = () =>
    AbortSignal.any([
      ...(signal ? [signal] : []),
      ...(request.stream ? [] : [AbortSignal.timeout(answerTimeoutMs(primaryId))]),
    ]);
  const rounds = tools && new ToolRounds(tools, modelRequest, request, toolSignal());
  const form = { isStructured: (request.response_format?.type ?? "text") !== "text" };
  const generate = async () => {
    if (request.stream) {
      const { modelId, result } = await openCompletion(withFallback(primaryId), modelRequest, { onRetry, signal });
      const open = async (next: ModelRequest) => (await openCompletion(withFallback(modelId), next, { signal })).result;
      const inRounds = rounds && streamRounds(result, rounds, writer, open, form);
      return { modelId, deltas: streamCompletion(result, inRounds, writer, modelRequest, rounds) };
    }
    const totalMs = answerTimeoutMs(primaryId);
    const deadline = performance.now() + totalMs;
    const { modelId, result } = await requestCompletion(withFallback(primaryId), modelRequest, { signal }, totalMs);
    const again = async (next: ModelRequest) => {
      const timeoutMs = Math.ceil(Math.max(1, deadline - performance.now()));
      return (await requestCompletion(withFallback(modelId), next, { signal }, timeoutMs)).result;
    };
    const whole = async () => (rounds ? completeRounds(result, rounds, writer, again, form) : result);
    return { modelId, deltas: adoptCompletion(whole, writer, modelRequest, rounds) };
  };
  const { modelId, deltas } = await generate().catch(async (error) => {
    if (signal?.aborted) {
      // The provider bills the prompt of a canceled call, and reports no usage for it.
      const usage = toUsage(primaryId, undefined, { input: modelRequest.promptText(), output: "" });
      const { persona_id, version: persona_version } = endpoint;
      const duration_ms = Math.round(performance.now() - startedAt);
      const record = { id, key_id: principal.keyId, persona_id, persona_version, usage, duration_ms, charges };
      await recordCompletion(principal, record);
    } else await returnReservations(principal, id, charges);
    throw shiftMessages(error, modelRequest.insertedMessages);
  });
  // The texts of request and answer are only used to estimate the usage of providers that do not report it.
  const usage = () =>
    toUsage(modelId, toModelUsage(writer.reported), {
      input: writer.reported?.prompt_tokens === undefined ? (rounds ?? modelRequest).promptText() : "",
      output:
        writer.reported?.completion_tokens === undefined ? (rounds?.generatedText ?? "") + writer.generatedText : "",
    });
  const answer = () => writer.answer(head, usage());
  const isHeld = request.stream && blocksAnswers(guardrails);
  if (isHeld) return { ...admitted, head, deltas: holdAnswer(deltas, answer), answer };
  return { ...admitted, head, deltas, answer, hasHeldText: () => writer.hasHeldText };
}

function toModelUsage(reported: ReportedUsage | undefined): LanguageModelV4Usage | undefined {
  if (!reported) return undefined;
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = reported;
  const cacheRead = prompt_tokens_details?.cached_tokens;
  return {
    inputTokens: { total: prompt_tokens, cacheRead, noCache: undefined, cacheWrite: cacheWriteOf(reported) },
    outputTokens: { total: completion_tokens, text: undefined, reasoning: undefined },
  };
}

async function* refuse(writer: CompletionWriter): AsyncGenerator<Delta, void> {
  yield writer.refuse(refusalMessage);
}

/** Yields an answer only after all of it has been generated and checked, for policies that block answers. */
async function* holdAnswer(deltas: AsyncIterable<Delta>, answer: () => CompletionAnswer): AsyncGenerator<Delta, void> {
  for await (const _ of deltas);
  yield* toDeltas(answer());
}

/**
 * Yields the checked deltas of an answer and closes the tools.
 * @param inRounds deltas of all rounds, if the service executes tools; they are then yielded instead of those of `chunks`
 */
async function* streamCompletion(
  chunks: AsyncIterable<ChatChunk>,
  inRounds: AsyncGenerator<Delta, void> | null,
  writer: CompletionWriter,
  { isInCrisis, question, insertedMessages }: ModelRequest,
  rounds: ToolRounds | null,
): AsyncGenerator<Delta, void> {
  try {
    if (inRounds) yield* inRounds;
    else {
      for await (const chunk of chunks) {
        for (const delta of writer.take(chunk)) yield delta;
      }
    }
  } catch (error) {
    throw shiftMessages(toRefusal(error), insertedMessages);
  } finally {
    await rounds?.close();
  }
  yield* writer.end();
  if (isInCrisis) yield* writer.appendParagraph(crisisParagraph);
  await writer.check(question);
}

/** Waits for a response that is not streamed, adds it to the writer and checks it. Yields no deltas. */
// biome-ignore lint/correctness/useYield: the answer is complete, so there is nothing to stream
async function* adoptCompletion(
  whole: () => Promise<ChatCompletion>,
  writer: CompletionWriter,
  { isInCrisis, question, insertedMessages }: ModelRequest,
  rounds: ToolRounds | null,
): AsyncGenerator<Delta, void> {
  try {
    writer.adopt(await whole());
  } catch (error) {
    throw shiftMessages(rounds ? rounds.markError(error) : error, insertedMessages);
  } finally {
    await rounds?.close();
  }
  if (isInCrisis) writer.appendParagraph(crisisParagraph);
  await writer.check(question);
}
