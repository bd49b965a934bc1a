import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { ChatCompletionRequest, ChatMessage } from "../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { formatSources } from "../chat/context/prompt-sections.ts";
import { quotationInstructions } from "../chat/context/quote.ts";
import { checkHits } from "../chat/guardrail-checks.ts";
import type { ProgramTools } from "../chat/tools/program-tools.ts";
import { canaryLine, newCanary } from "../guardrails/canary.ts";
import { protectAnswer } from "../guardrails/protect-answer.ts";
import type { AnswerProtection } from "../guardrails/streaming-redactor.ts";
import type { KnowledgeHit } from "../knowledge/search/knowledge-hit.ts";
import { searchKnowledge } from "../knowledge/search/search-knowledge.ts";
import { log } from "../lib/log.ts";
import type { CompletionRequest } from "../models/open-completion.ts";
import type { Endpoint } from "../personas/endpoint-store.ts";
import { toCallOptions } from "./call-options.ts";
import { checkMessages } from "./check-messages.ts";
import { plainText } from "./content-parts.ts";
import { toProviderBody } from "./provider-body.ts";

const MAX_SOURCES = 6;

/**
 * Minimum length, in letters and digits, of a passage from the sources that makes a link in the answer count as leaking
 * it.
 */
const MIN_PASSAGE_CHARACTERS = 24;

const mediaFields: ReadonlySet<string> = new Set(["url", "data", "file_data"]);

/** Returns messages as JSON without the data of images, audio and files, for estimating tokens and comparing texts. */
const promptText = (messages: readonly unknown[]) =>
  JSON.stringify(messages, (name, value) => (mediaFields.has(name) ? undefined : value));

/**
 * Searches the endpoint's collections for the question. Best-effort: if the search fails, the model answers without
 * sources. The tier `QUICK` does not search.
 */
async function findSources(
  principal: ApiKeyPrincipal,
  endpoint: Endpoint,
  question: string,
  policy: GuardrailPolicy,
): Promise<KnowledgeHit[]> {
  const { collection_ids: collectionIds, tier } = endpoint;
  if (collectionIds.length === 0 || tier === "QUICK" || question === "") return [];
  const reader = { tenantId: principal.tenantId, userId: null };
  try {
    const hits = await searchKnowledge(reader, { text: question, collectionIds, limit: MAX_SOURCES });
    return (await checkHits(hits, policy)).hits;
  } catch (error) {
    log.error("knowledge search failed", { persona_id: endpoint.persona_id, error });
    return [];
  }
}

/** Roles of trusted messages. Answers may link to the hosts that these messages mention. */
const trustedRoles: ReadonlySet<string> = new Set(["user", "system", "developer"]);

/**
 * Random text in all prompts of this function instance, by which an answer that reveals its prompt is recognized. It is
 * not renewed per request, because providers could not cache the prompts then.
 */
const canary = newCanary();

export const toolNamesOf = ({ tools }: ChatCompletionRequest): string[] =>
  (tools ?? []).map((tool) => (tool.type === "function" ? tool.function.name : tool.custom.name));

/**
 * Returns a request that offers the tools of the service in addition to those of the caller. In the last round, no tool
 * of the service can be called.
 */
function offerTools(
  request: ChatCompletionRequest,
  tools: ProgramTools,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): ChatCompletionRequest {
  const own = request.tools ?? [];
  const names = new Set(toolNamesOf(request));
  const offered = tools.definitions
    .filter(({ name }) => !names.has(name))
    .map(({ name, description, inputSchema }) => ({
      type: "function" as const,
      function: { name, description, parameters: inputSchema as Record<string, unknown> },
    }));
  // Some providers require the definitions of tools that the messages call.
  if (isLast && own.length === 0) return { ...request, tools: offered, tool_choice: "none" };
  if (isLast) return { ...request, tool_choice: "auto" };
  // A choice that the caller forces is made by the first call.
  return { ...request, tools: [...own, ...offered], ...(!isFirst && { tool_choice: "auto" as const }) };
}

/**
 * Checks the messages of a request, searches for sources, and builds the request to the model.
 * @returns null if the guardrail blocks a message
 */
export async function buildModelRequest(
  principal: ApiKeyPrincipal,
  endpoint: Endpoint,
  request: ChatCompletionRequest,
  policy: GuardrailPolicy,
  tools: ProgramTools | null,
): Promise<ModelRequest | null> {
  const result = await checkMessages(request.messages, policy);
  if (!result) return null;
  const { messages, isInCrisis } = result;
  const question = plainText(messages.findLast(({ role }) => role === "user")?.content);
  const sources = await findSources(principal, endpoint, question, policy);
  const texts = [
    endpoint.instructions,
    sources.length > 0 ? formatSources(sources) : "",
    tools ? quotationInstructions : "",
  ].filter(Boolean);
  const instructions = texts.length > 0 ? [canaryLine(canary), ...texts].join("\n\n") : "";

  const toRequest = (added: readonly ChatMessage[], isLast: boolean): ModelRequest => {
    const all = [...messages, ...added];
    const full = { ...request, messages: all };
    const offered = tools ? offerTools(full, tools, { isFirst: added.length === 0, isLast }) : full;
    const checked = withPersonaDefaults(offered, endpoint);
    const results = added.filter(({ role }) => role === "tool").map(({ content }) => plainText(content));
    return {
      toBody: (traits) => toProviderBody(checked, instructions, traits),
      toOptions: (traits) => toCallOptions(checked, instructions, traits),
      promptText: () => promptText([instructions, ...all]),
      insertedMessages: instructions ? 1 : 0,
      question,
      isInCrisis: isInCrisis && (request.response_format?.type ?? "text") === "text",
      protection: protectAnswer(
        {
          canary,
          hasUntrusted: sources.length > 0 || added.length > 0,
          trustedText: () =>
            promptText([endpoint.instructions, ...messages.filter(({ role }) => trustedRoles.has(role))]),
          text: () => promptText([instructions, ...all]),
          privateTexts: () => [
            {
              text: [...sources.map(({ title, text }) => `${title}\n${text}`), ...results].join("\n"),
              minCharacters: MIN_PASSAGE_CHARACTERS,
              publicText: `${endpoint.instructions}\n${question}`,
            },
          ],
        },
        policy,
      ),
      withMessages: (further, isEnd) => toRequest([...added, ...further], isEnd),
    };
  };
  return toRequest([], false);
}

/** Request to a model, with data for estimating its usage, protecting its answer and continuing it after tool calls. */
export interface ModelRequest extends CompletionRequest {
  /** Returns the text of the prompt, for estimating its tokens if the provider reports no usage. */
  promptText(): string;
  /**
   * Number of messages inserted before those of the caller, by which positions in the provider's error messages are
   * shifted.
   */
  readonly insertedMessages: number;
  /** Text of the latest user message. */
  readonly question: string;
  /** True if a notice with help for a crisis must be appended to the answer. */
  readonly isInCrisis: boolean;
  readonly protection: AnswerProtection;
  /**
   * Returns this request continued by `messages`, such as tool calls and their results.
   * @param isLast true if the model may not call further tools of the service
   */
  withMessages(messages: readonly ChatMessage[], isLast: boolean): ModelRequest;
}

/**
 * Applies the persona's temperature unless the request sets one, and limits the answer to the persona's maximum length.
 */
function withPersonaDefaults(
  request: ChatCompletionRequest,
  { temperature, max_output_tokens: maxTokens }: Endpoint,
): ChatCompletionRequest {
  const limit = (requested: number | null | undefined) =>
    requested ? Math.min(requested, maxTokens ?? requested) : requested;
  const limits =
    request.max_tokens || request.max_completion_tokens
      ? { max_tokens: limit(request.max_tokens), max_completion_tokens: limit(request.max_completion_tokens) }
      : { max_completion_tokens: maxTokens };
  return { ...request, temperature: request.temperature ?? temperature, ...limits };
}
