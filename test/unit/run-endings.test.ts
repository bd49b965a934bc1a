import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { UserPrincipal } from "#shared/auth/principal.ts";
import { beginTurn } from "#shared/chat/begin-turn.ts";
import { closeIfDead } from "#shared/chat/close-run.ts";
import type { RunEvent } from "#shared/chat/events.ts";
import { runEvents } from "#shared/chat/pipeline.ts";
import { newConversation, newConversationWrites } from "#shared/data/conversation-store.ts";
import { findMessage } from "#shared/data/message-store.ts";
import { appendToLog } from "#shared/data/run-store.ts";
import { tableOf } from "#shared/data/tenant-scope.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/metered-table.ts";

const asker: UserPrincipal = {
  kind: "user",
  tenantId: "t",
  userId: "asker",
  roles: [],
  email: null,
  name: null,
  provider: "local",
  expiresAt: null,
};

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
  for (const name of ["MODEL_ID", "MODEL_ID_QUICK", "MODEL_FALLBACK"]) process.env[name] = "";
  process.env.MODEL_PROVIDER = "builtin";
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => table?.stop());

/** A turn that has begun. */
async function begun() {
  const conversation = newConversation("asker", { title: "t", tier: "QUICK", folder_id: null, persona_id: null });
  await tableOf(asker).transact(newConversationWrites(asker, conversation));
  const question = { conversation_id: conversation.id, content: "Hello", tier: "QUICK" } as const;
  return beginTurn(
    asker,
    { ...question, parent_message_id: null, regenerate_message_id: null },
    { requestId: "r", signal: new AbortController().signal, recordStart: () => null },
  );
}

const unstored = (message_id: string): RunEvent => ({
  type: "error",
  data: { code: "internal_error", message: "Not stored", status: 500, request_id: "r", message_id },
});

const closed = (message_id: string): RunEvent => ({
  type: "interrupted",
  data: { message_id, reason: "shutdown", saved_characters: 11 },
});

describe("a run that ended before its answer was stored", () => {
  it.each([
    ["Half an ans", "the table failed", unstored, "interrupted"],
    ["", "the table failed", unstored, "failed"],
    ["Half an ans", "whoever closed it died", closed, "interrupted"],
  ])("keeps %j where %s", async (text, _, end, status) => {
    const { run } = await begun();
    const { message_id, conversation_id } = run;
    const piece: RunEvent = { type: "assistant_message", data: { message_id, content: text, final: false } };
    const events = text ? [piece, end(message_id)] : [end(message_id)];
    await appendToLog(
      asker,
      message_id,
      events.map((event, index) => ({ seq: index + 1, event })),
    );
    expect(await findMessage(asker, conversation_id, message_id)).toBeUndefined();
    expect(await closeIfDead(asker, run)).toBe("ended");
    expect(await findMessage(asker, conversation_id, message_id)).toMatchObject({
      status,
      content: text ? [{ type: "text", text }] : [],
    });
  });
});

describe("a run that fails by a fault of ours", () => {
  it("does not lay it to the model", async () => {
    vi.stubEnv("GUARDRAIL_PROVIDER", "nobody");
    const events = await Array.fromAsync(runEvents(await begun()));
    expect(events.at(-1)).toMatchObject({ type: "error", data: { code: "internal_error", status: 500 } });
  });
});
