import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { keys } from "#shared/dynamodb/keys.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { createColleague } from "#test/support/people.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { openInstanceTable } from "#test/support/tables/instance-table.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

/** Response time of a slow table, below the timeout of the client. */
const SLOW_RESPONSE_MS = 2_400;

/** Time after which a job enqueues another one, with a margin. */
const JOB_DURATION_MS = 36_000;

describe.runIf(isFullRun)("deployed job", () => {
  let table: TableProxy;
  let service: Switchboard;
  let client: Client;

  beforeAll(async () => {
    table = await startTableProxy();
    service = await startSwitchboard({ env: { DYNAMODB_ENDPOINT: table.endpoint } });
    client = new Client(newIdentity(), service.baseUrl);
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    await service?.stop();
    await table?.stop();
  });

  it("job that runs out of time is continued by another job until its export, data deletion or retention change is complete", async () => {
    const colleagues = await Promise.all(Array.from({ length: 10 }, () => createColleague(client)));
    const ids = await Promise.all(colleagues.map((colleague) => colleague.createConversation()));
    const callers = new Set<string>();
    table.onCall = ({ caller }) => callers.add(caller);
    const isJob = (caller: string) => /-(apply-retention|build-export|delete-data)$/.test(caller);
    table.delayOf = (caller) => (isJob(caller) ? SLOW_RESPONSE_MS : 0);
    await setPolicy(client, { retention: { conversation_days: 30 } });
    const exported = await client.post("/v1/exports", {});
    const user_id = colleagues[0]?.identity.user;
    const deletion = await client.post("/v1/data-deletions", { user_id });
    await expect.poll(() => [...callers].filter(isJob)).toHaveLength(3);
    await sleep(JOB_DURATION_MS);
    table.delayOf = () => 0;
    const statusOf = async (path: string) => (await client.get(path)).body.status;
    await expect.poll(() => statusOf(`/v1/exports/${exported.body.export.id}`)).toBe("ready");
    await expect.poll(() => statusOf(`/v1/data-deletions/${deletion.body.id}`)).toBe("completed");
    const { tenant } = client.identity;
    const conversationKeys = ids.slice(1).map((id) => keys.conversation(tenant, id));
    const items = openInstanceTable(table);
    await expect
      .poll(async () => (await items.getMany(conversationKeys)).map(({ retention_days }) => retention_days))
      .toEqual(conversationKeys.map(() => 30));
  });
});
