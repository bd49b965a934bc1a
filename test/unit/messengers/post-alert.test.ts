import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { StoredMessage } from "#shared/conversations/message-store.ts";
import { addMessage } from "#shared/conversations/message-store.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import type { MessengerClient } from "#shared/messengers/client.ts";
import { findEvent } from "#shared/messengers/event-store.ts";
import { recordPost } from "#shared/messengers/post-alert.ts";
import { runMessengerJob } from "#shared/messengers/run-job.ts";
import { newWorkspaceWrites } from "#shared/messengers/workspace-store.ts";
import { openSlack } from "#shared/slack/slack-messenger.ts";
import { sealSecrets } from "#shared/slack/workspace-secrets.ts";
import { slackLookups, slackWorkspaces } from "#shared/slack/workspace-store.ts";
import { newUserMessage } from "#test/support/chat/messages.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";
import { type SlackStub, startSlackStub } from "#test/support/slack/slack-stub.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

/** Delays of the enqueued jobs in seconds. */
const enqueued = vi.hoisted((): number[] => []);
vi.mock("#shared/lib/aws/sqs.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  sendToQueue: async (_url: string, _body: string, delaySeconds: number) => void enqueued.push(delaySeconds),
}));

const scope = { tenantId: "acme" };
let slack: SlackStub;
let table: MeteredTable;

beforeAll(async () => {
  slack = await startSlackStub();
  setFunctionEnvironment({ ...slack.settings, TOOL_PRIVATE_RANGES: "127.0.0.0/8", CONTINUE_RUN_QUEUE_URL: "queue" });
  table = await startMeteredTable();
});
afterAll(async () => {
  vi.useRealTimers();
  await Promise.all([slack?.stop(), table?.stop()]);
});

it("alert appears once in Slack although its function dies after the post, and another function completes the delivery after the claim ends", async () => {
  const { bot_token, signing_secret } = slack.createApp("T1");
  const secrets = await sealSecrets(scope, "w1", { bot_token, signing_secret }, null);
  const created_at = new Date().toISOString();
  const workspace = { id: "w1", name: "W", persona_id: null, enabled: true, error: null, created_at };
  const unset = { team_id: null, team_name: null, bot_user_id: null, sealed_token: null, sealed_secret: null };
  await tenantTable(scope).transact(
    newWorkspaceWrites(slackWorkspaces, slackLookups, scope, { ...unset, ...workspace, ...secrets }),
  );
  const alert = { provider: "custom", severity: "high", state: "open", title: "Disk full", description: "98 %" };
  const message = { ...newUserMessage("c1", "m1"), role: "alert", alert } as unknown as StoredMessage;
  await addMessage(scope, message);
  const place = { messenger: "slack", workspace_id: "w1" } as const;
  const post = { ...place, channel: "C1", base_url: "https://a.example", conversation_id: message.conversation_id };
  await recordPost(scope, { ...post, alert_id: message.message_id });
  const ref = { ...place, event_id: `alert#${message.message_id}` };
  const run = (open = openSlack) =>
    runMessengerJob({ ...scope, messengerEvent: ref, step: "start" }, { slack: open, teams: openSlack });
  const openUntilPost: typeof openSlack = async (...workspace) => {
    const client = await openSlack(...workspace);
    const dieAfterPost = async (...text: Parameters<MessengerClient["post"]>) => {
      await client?.post(...text);
      throw new Error("killed");
    };
    return client && { ...client, post: dieAfterPost };
  };
  vi.useFakeTimers({ toFake: ["Date"] });
  const startedAt = Date.now();

  await expect(run(openUntilPost)).rejects.toThrow();
  expect([slack.messages.size, await findEvent(scope, ref)]).toMatchObject([1, { state: "posting" }]);
  vi.setSystemTime(startedAt + 60_000);
  await run();
  expect(enqueued).toEqual([expect.any(Number)]);
  expect(enqueued[0]).toBeGreaterThan(30);
  vi.setSystemTime(startedAt + 60_000 + (enqueued[0] ?? 0) * 1_000);
  await run();
  const [ts] = slack.messages.keys();
  expect([slack.messages.size, await findEvent(scope, ref)]).toMatchObject([1, { state: "done", posted_id: ts }]);
  await run();
  expect([slack.messages.size, enqueued.length]).toEqual([1, 1]);
});
