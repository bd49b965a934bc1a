import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

/** Time after which the queue delivers the message of a failed import job again, with a margin. */
const REDELIVERY_MS = 121_000;

/** Time in which a job starts and fails. */
const JOB_MS = 1_500;

/** Maximum number of redeliveries that the test causes; the fifth one makes the message a dead letter. */
const MAX_REDELIVERIES = 15;

describe.runIf(isFullRun)("import whose jobs fail", () => {
  const clock = createMovableClock();
  let table: TableProxy;
  let service: Switchboard;
  let client: Client;

  beforeAll(async () => {
    table = await startTableProxy();
    service = await startSwitchboard({
      env: { DYNAMODB_ENDPOINT: table.endpoint },
      nodeOptions: [clock.nodeOption],
    });
    client = new Client(newIdentity(), service.baseUrl);
  });

  afterAll(async () => {
    await service?.stop();
    await table?.stop();
  });

  it("import whose jobs fail at every delivery ends as interrupted, and can be retried", async () => {
    const { body: collection } = await client.post("/v1/knowledge/collections", { name: "Harbor" });
    const imports = `/v1/knowledge/collections/${collection.id}/imports`;
    table.faultRates = { lostRequestRate: 1, callers: /-run-import$/ };
    const create = async () => (await client.post(imports, { url: "http://127.0.0.1/", refresh_hours: 1 })).body.id;
    const path = `${imports}/${await create()}`;
    const read = async () => (await client.get(path)).body;
    for (let count = 0; count < MAX_REDELIVERIES && (await read()).status === "running"; count++) {
      await sleep(JOB_MS);
      clock.advance(REDELIVERY_MS);
      // The queue notices the new time when it receives a message.
      await create();
    }
    expect(await read()).toMatchObject({ status: "failed", failure: { code: "interrupted" } });
    table.faultRates = {};
    await client.post(`${path}/retry`, {});
    await expect.poll(read).toMatchObject({ status: "failed", failure: { code: "address_not_allowed" } });
  });
});
