import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";
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

  it.each(Object.entries(release.responses))(
    "data of an earlier release is read by GET %s with the same values",
    async (path, expected) => {
      const { status, body } = await client.get(path);
      expect(status).toBe(200);
      expect(body).toMatchObject(expected);
    },
  );

  it("data of an earlier release is exported with the texts of documents", async () => {
    const { body } = await client.post("/v1/exports", {});
    const find = async () => (await client.get(`/v1/exports/${body.export.id}`)).body;
    await expect.poll(async () => (await find()).status).toBe("ready");
    const archive = await fetch(new URL((await find()).download_url, service.baseUrl));
    expect(await archive.text()).toContain("A refund is paid within 14 days");
  });

  it("document of an earlier release is indexed again when the document or its collection changes, and leaves the index when it is deleted", async () => {
    const find = (pattern: RegExp) => Object.keys(release.responses).find((path) => pattern.test(path)) ?? "";
    const [path, collection] = [find(/\/documents\/[^/]+$/), find(/\/collections\/[^/]+$/)];
    const id = path.split("/").at(-1);
    const colleague = await createColleague(client);
    const search = async (query: string, reader = client) => {
      const { body } = await reader.get(`/v1/knowledge/search?q=${query}`);
      return body.results.map((hit: { document_id: string }) => hit.document_id);
    };
    const change = async (method: string, target: string, fields: object) =>
      expect((await client.request(method, target, fields, { "if-match": "*" })).status).toBe(200);
    const read = async () => (await client.get(path)).body;
    const postings = async () => {
      const result = await awsJson(table.serverEndpoint, "DynamoDB_20120810.Scan", {
        TableName: "switchboard-local-table",
        FilterExpression: "discriminator = :postings AND NOT contains(pk, :messages)",
        ExpressionAttributeValues: { ":postings": { S: "postings" }, ":messages": { S: "#messages#" } },
      });
      return (result as { Items: object[] }).Items;
    };
    expect(await search("refund", colleague)).toEqual([id]);

    await change("PATCH", collection, { visibility: "private" });
    await expect.poll(() => search("refund", colleague)).toEqual([]);
    await expect.poll(() => search("refund")).toEqual([id]);
    await expect.poll(read).toMatchObject({ status: "ready", version: 1, indexed_version: 1, title: "Refund policy" });

    await change("PUT", path, { title: "Moorings", text: "Zeppelins moor at the mast." });
    await expect.poll(() => search("zeppelins")).toEqual([id]);
    expect(await search("refund")).toEqual([]);
    await expect.poll(read).toMatchObject({ status: "ready", version: 2, indexed_version: 2, title: "Moorings" });

    await client.delete(path);
    await expect.poll(postings).toEqual([]);
  });

  it("audit events of an earlier release are still listed and form one valid hash chain with later events", async () => {
    // Storing the items is a change that adds further events.
    await expect
      .poll(async () => (await client.get("/v1/audit-events?limit=100")).body.audit_events)
      .toEqual(expect.arrayContaining([...release.audit_events]));
    expect((await client.get("/v1/audit-events/verify")).body).toMatchObject({ valid: true });
  });
});
