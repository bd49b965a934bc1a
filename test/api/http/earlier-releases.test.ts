import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";
import { awsJson } from "../../../infra/local/aws-json.ts";

/** Items that a release stored, and its responses to requests of an administrator. */
interface Release {
  readonly tenant: string;
  readonly user: string;
  /** In the form of DynamoDB's API, without those that expire. */
  readonly items: readonly object[];
  /** Bodies by path. */
  readonly responses: Readonly<Record<string, object>>;
  readonly audit_events: readonly object[];
}

const directory = join(import.meta.dirname, "../../support/releases");

describe.each(readdirSync(directory))("data of the release %s", (file) => {
  const release = JSON.parse(readFileSync(join(directory, file), "utf8")) as Release;
  let table: TableProxy;
  let service: Switchboard;
  let client: Client;

  beforeAll(async () => {
    table = await startTableProxy();
    service = await startSwitchboard({ env: { DYNAMODB_ENDPOINT: table.endpoint } });
    for (const Item of release.items) {
      await awsJson(table.serverEndpoint, "DynamoDB_20120810.PutItem", { TableName: "switchboard-local-table", Item });
    }
    client = new Client({ tenant: release.tenant, user: release.user, roles: "admin" }, service.baseUrl);
  });

  afterAll(async () => {
    await service?.stop();
    await table?.stop();
  });

  it.each(Object.entries(release.responses))("is read by GET %s with the same values", async (path, expected) => {
    const { status, body } = await client.get(path);
    expect(status).toBe(200);
    expect(body).toMatchObject(expected);
  });

  it("includes the audit events, and the chain continues after them", async () => {
    // Storing the items is a change that adds further events.
    await expect
      .poll(async () => (await client.get("/v1/audit-events?limit=100")).body.audit_events)
      .toEqual(expect.arrayContaining([...release.audit_events]));
    expect((await client.get("/v1/audit-events/verify")).body).toMatchObject({ valid: true });
  });
});
