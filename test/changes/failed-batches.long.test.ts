import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

const BUCKET = "switchboard-local-failures-000000000000-us-east-1";

/** Time after which the processors have processed earlier changes. */
const SETTLING_MS = 3_000;

/** Time of eleven attempts to process a batch, with increasing delays. */
const RETRIES_MS = 600_000;

describe.runIf(isFullRun)("batch of changes", () => {
  let table: TableProxy;
  let service: Switchboard;
  let client: Client;

  beforeAll(async () => {
    table = await startTableProxy();
    service = await startSwitchboard({ env: { DYNAMODB_ENDPOINT: table.endpoint } });
    client = new Client(newIdentity(), service.baseUrl);
  });

  afterAll(async () => {
    await service?.stop();
    await table?.stop();
  });

  /** Returns the failed batches by function, with the types of their items. */
  function readFailedBatches(): Map<string, string[]> {
    const directory = join(service.stateDir, "buckets", BUCKET);
    const batches = new Map<string, string[]>();
    for (const name of readdirSync(directory)) {
      const { requestContext, payload } = JSON.parse(readFileSync(join(directory, name), "utf8"));
      const types = JSON.parse(payload).Records.map(
        ({ dynamodb }: { dynamodb: { NewImage?: { discriminator: { S: string } } } }) =>
          dynamodb.NewImage?.discriminator.S,
      );
      const processor = requestContext.functionArn.split("switchboard-local-").at(-1);
      batches.set(processor, [...(batches.get(processor) ?? []), ...types]);
    }
    return batches;
  }

  it("failed batch of table changes is stored when all retries of a processor fail, and later changes are processed", async () => {
    const id = await client.createConversation();
    const { body } = await client.post("/v1/knowledge/collections", { name: "Harbor" });
    const path = `/v1/knowledge/collections/${body.id}/documents`;
    // One change per processor fails: several would be retried one after the other.
    await sleep(SETTLING_MS);
    table.faultRates = { throttleRate: 1, callers: /-changes-/, operations: /Item|Query/ };
    await client.delete(`/v1/conversations/${id}`);
    const document = await client.post(path, { title: "Harbor", text: "Open at seven." });
    await expect
      .poll(() => [...readFailedBatches().keys()].sort(), { timeout: RETRIES_MS, interval: 1_000 })
      .toEqual(["changes-cascade", "changes-index-documents"]);
    table.faultRates = {};
    expect(readFailedBatches().get("changes-cascade")).toContain("conversation");
    expect(readFailedBatches().get("changes-index-documents")).toContain("document");
    expect((await client.get(`${path}/${document.body.id}`)).body.status).not.toBe("ready");
    // Later changes are processed again.
    const next = await client.post(path, { title: "Pier", text: "Ships moor here." });
    await expect.poll(async () => (await client.get(`${path}/${next.body.id}`)).body.status).toBe("ready");
  });
});
