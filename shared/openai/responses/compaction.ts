import type { ChatMessage } from "../../api/openai/openai.ts";
import type { InputItem } from "../../api/openai/response-items.ts";
import type { CompactRequest } from "../../api/openai/response-operations.ts";
import type { ResponseRequest } from "../../api/openai/responses.ts";
import { verifyWithAny } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import { decrypt, encrypt } from "../../auth/encryption.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { invalidField } from "../../lib/errors.ts";
import type { CompletionAnswer } from "../completions/completion.ts";
import { toItems, toListedItem } from "./items.ts";
import { type OutputItem, toResponse } from "./response-object.ts";
import { resolveReferences } from "./response-store.ts";
import { responseToChatRequest } from "./response-to-chat-request.ts";

const purposeOf = ({ tenantId }: ApiKeyPrincipal) => `compaction#${tenantId}`;

const SUMMARIZE =
  "Summarize our conversation so far, so that it can continue without its beginning. Write short lines in the language of the conversation. Keep every fact, decision, open question, name, number, date, address and identifier, word for word; leave out greetings, repetitions and style. Add nothing, and answer nothing.";

const SUMMARY_PREFIX = "Summary of our conversation so far:\n";

/**
 * Returns the request with which a model summarizes a conversation.
 * @param history messages before the input of the request
 */
export function toSummaryRequest(request: CompactRequest, history: readonly ChatMessage[]) {
  const chat = responseToChatRequest({ ...request, stream: false } as ResponseRequest, history);
  return { ...chat, messages: [...chat.messages, { role: "user" as const, content: SUMMARIZE }] };
}

/**
 * Returns a compacted conversation: the user messages, and the model's summary in encrypted form.
 * @param secret current application secret, with which the summary is encrypted
 * @param answer answer with the summary
 */
export function toCompaction(
  principal: ApiKeyPrincipal,
  secret: string,
  messages: readonly ChatMessage[],
  answer: CompletionAnswer,
) {
  const { id, created } = answer.head;
  const summary = String(answer.choices[0]?.message.content ?? "");
  const encrypted_content = encrypt(secret, purposeOf(principal), summary);
  const users = toItems(
    messages.filter(({ role }) => role === "user"),
    {},
  ).map((item) => toListedItem(item));
  const compaction: OutputItem = { id: `cmp_${id.slice("resp_".length)}`, type: "compaction", encrypted_content };
  return {
    id,
    object: "response.compaction" as const,
    created_at: created,
    output: [...users, compaction],
    usage: toResponse({ model: "", input: "" } as ResponseRequest, answer).usage,
  };
}

function openSummary(principal: ApiKeyPrincipal, secrets: readonly string[], content: string): string | null {
  try {
    return verifyWithAny(secrets, (secret) => decrypt(secret, purposeOf(principal), content));
  } catch {
    // Too short for a tag.
    return null;
  }
}

/**
 * Replaces item references by the stored items, and compactions by a user message with their summary.
 * @throws ServiceError `validation_failed` for an item that does not exist, has expired or belongs to another key, and
 * for a compaction that another tenant or service created
 */
export async function resolveInput(
  principal: ApiKeyPrincipal,
  input: ResponseRequest["input"],
): Promise<ResponseRequest["input"]> {
  const items = await resolveReferences(principal, input);
  if (typeof items === "string" || items.every(({ type }) => type !== "compaction")) return items;
  const { recent } = await loadAppSecrets();
  return items.map((item, position): InputItem => {
    if (item.type !== "compaction") return item;
    const summary = openSummary(principal, recent, item.encrypted_content);
    if (summary !== null) return { type: "message", role: "user", content: SUMMARY_PREFIX + summary };
    throw invalidField(
      `input.${position}.encrypted_content`,
      "invalid_value",
      "was not made by this service for this tenant, or is too old; compact the conversation again",
    );
  });
}
