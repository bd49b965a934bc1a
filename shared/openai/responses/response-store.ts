import * as v from "valibot";
import type { ChatMessage } from "../../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { getCurrentPolicy } from "../../governance/policy-store.ts";
import { expiresAfter, now } from "../../lib/clock.ts";
import { invalidField } from "../../lib/errors.ts";
import { splitUtf8 } from "../../lib/split-utf8.ts";

/** Retention of responses, as at OpenAI; the tenant's policy for conversations may shorten it. */
const MAX_RETENTION_DAYS = 30;

const SECONDS_PER_DAY = 24 * 3_600;

const readPart = itemReader(v.object({ sk: v.string(), text: v.string(), parts: v.number(), ttl: v.number() }));

/**
 * Stores the conversation of a response for the key that requested it.
 * @param messages all messages, including the answer
 */
export async function storeResponse(
  principal: ApiKeyPrincipal,
  id: string,
  messages: readonly ChatMessage[],
): Promise<void> {
  const { retention } = await getCurrentPolicy(principal);
  const days = Math.min(MAX_RETENTION_DAYS, retention.conversation_days ?? MAX_RETENTION_DAYS);
  const parts = splitUtf8(JSON.stringify(messages));
  const { tenantId, keyId } = principal;
  await tenantTable(principal).transact(
    parts.map((text, part) => ({
      put: {
        ...keys.openaiResponse(tenantId, keyId, id, part),
        discriminator: "openai-response",
        ttl: expiresAfter(days * SECONDS_PER_DAY),
        text,
        parts: parts.length,
      },
    })),
  );
}

/**
 * Returns the messages of a stored response's conversation.
 * @throws ServiceError `validation_failed` if it does not exist, has expired or belongs to another key
 */
export async function getResponseMessages(principal: ApiKeyPrincipal, id: string): Promise<readonly ChatMessage[]> {
  const toKey = (part: number) => keys.openaiResponse(principal.tenantId, principal.keyId, id, part);
  const table = tenantTable(principal);
  const item = await table.get(toKey(0), { consistent: true });
  const first = item && readPart(item);
  if (!first || first.ttl <= now() / 1_000) throw responseNotFound(id);
  const otherKeys = Array.from({ length: first.parts - 1 }, (_, index) => toKey(index + 1));
  const others = otherKeys.length > 0 ? await table.getMany(otherKeys, { consistent: true }) : [];
  const parts = [first, ...others.map(readPart)].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  return JSON.parse(parts.map(({ text }) => text).join(""));
}

function responseNotFound(id: string) {
  return invalidField({
    path: "previous_response_id",
    location: "body",
    code: "previous_response_not_found",
    message: `Previous response with id '${id}' not found.`,
  });
}
