import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { ChatCompletionRequest, ChatMessage } from "../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { formatSources } from "../chat/context/build-prompt.ts";
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

/** Minimum number of letters and digits of a passage in a link that counts as taken from the sources. */
const MIN_PASSAGE_CHARACTERS = 24;

const mediaFields: ReadonlySet<string> = new Set(["url", "data", "file_data"]);

/** Returns the text of messages without images, audio and files. */
const promptText = (messages: readonly unknown[]) =>
  JSON.stringify(messages, (name, value) => (mediaFields.has(name) ? undefined : value));

/** Searches the endpoint's collections. Best-effort: if the search fails, the model answers without sources. */
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

/** Roles whose messages name hosts that answers may link to. */
const trustedRoles: ReadonlySet<string> = new Set(["user", "system", "developer"]);

/** Canary of all prompts of this function instance. A new one for each request would keep providers from caching prompts. */
const canary = newCanary();

export const toolNamesOf = ({ tools }: ChatCompletionRequest): string[] =>
  (tools ?? []).map((tool) => (tool.type === "function" ? tool.function.name : tool.custom.name));

/** Returns a request that offers the tools of the service next to those of the caller. */
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

/** Builds the model call for a request; null if the guardrail blocks a message. */
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
      toBody: (unknown) => toProviderBody(checked, instructions, unknown),
      toOptions: (unknown) => ({
        ...toCallOptions(checked, instructions, unknown),
        providerOptions: { builtin: { sources: sources.map(({ title, text }) => ({ title, text })) } },
      }),
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

/** Request to a model, with what the usage estimate and error messages need. */
export interface ModelRequest extends CompletionRequest {
  /** Returns the text of the prompt, to estimate its tokens when the provider reports no usage. */
  promptText(): string;
  /** Number of messages that the service inserted before the messages of the caller. */
  readonly insertedMessages: number;
  /** Text of the latest message of the user. */
  readonly question: string;
  /** True if the answer must contain the notice for crises. */
  readonly isInCrisis: boolean;
  readonly protection: AnswerProtection;
  /**
   * Returns the request that continues this one.
   * @param isLast whether it may call no tool of the service
   */
  withMessages(messages: readonly ChatMessage[], isLast: boolean): ModelRequest;
}

/** Applies a persona's temperature, unless the request has one, and its maximum length, which also limits the request's. */
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
