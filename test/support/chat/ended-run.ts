import { newMessageWrite } from "#shared/conversations/message-store.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { type TenantScope, tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { toTraceContext } from "#shared/lib/tracing/trace-context.ts";
import { appendToRunLog } from "#shared/runs/run-log-store.ts";

const created_at = "2026-01-01T00:00:00.000Z";
const run = { conversation_id: "c", user_id: "ada", request_id: "r" };
const settings = { parent_id: null, persona_id: null, tier: "QUICK", model: "demo", created_at };
const unset = { parent_id: null, author_id: null, tier: null, model: null, usage: null, alert: null, edited_at: null };

/** Stores a run with a question, both of which contain personal data. */
export async function storeRun(scope: TenantScope, message_id: string): Promise<void> {
  const user_message_id = `q-${message_id}`;
  const { traceparent } = toTraceContext(message_id, undefined);
  const item = { discriminator: "run", message_id, user_message_id, traceparent, ...run, ...settings };
  await tenantTable(scope).write({ put: { ...keys.run(scope.tenantId, message_id), ...item } });
  await appendToRunLog(scope, message_id, [
    {
      seq: 1,
      event: { type: "assistant_message", data: { message_id, content: "Mail ada@example.com", final: false } },
    },
  ]);
  const question = {
    message_id: user_message_id,
    conversation_id: "c",
    role: "user",
    status: "complete",
    ...unset,
    created_at,
  };
  await tenantTable(scope).write(
    newMessageWrite(scope, { ...question, content: [{ type: "text", text: "Who is +1 415 555 2671?" }] } as never),
  );
}

/** Ends the log of a run. */
export const endRunLog = (scope: TenantScope, message_id: string): Promise<void> =>
  appendToRunLog(scope, message_id, [{ seq: 2, event: { type: "done", data: { message_id, block_count: 1 } } }]);
