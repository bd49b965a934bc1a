import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";
import { Operator, readDeploymentKey } from "#test/support/tenancy/deployment-key.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

/** Cell: an instance with a table and secrets of its own. */
interface Cell {
  readonly table: TableProxy;
  readonly service: Switchboard;
  readonly operator: Operator;
}

async function startCell(): Promise<Cell> {
  const table = await startTableProxy();
  const service = await startSwitchboard({ env: { DYNAMODB_ENDPOINT: table.endpoint, TENANT_CREATION: "api" } });
  return { table, service, operator: new Operator(readDeploymentKey(service), service.baseUrl) };
}

/** Returns the address of the AWS services of a cell. */
const addressOf = ({ service }: Cell): string =>
  `http://${JSON.parse(readFileSync(join(service.stateDir, "lock.json"), "utf8")).address}`;

/** Runs a command of operators with the table of a cell; returns what it prints. */
async function run(cell: Cell, script: string, args: readonly string[], endpoint = addressOf(cell)): Promise<string> {
  const env = {
    ...process.env,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "operator",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: cell.table.serverEndpoint,
  };
  return (await promisify(execFile)("node", [`infra/commands/${script}.ts`, ...args], { env })).stdout;
}

const appSecret = "switchboard-local-app-secret";

/** Starts a Secrets Manager with the secrets of one cell, in which the app secret of another one has the name `switchboard-first-app-secret`. */
async function startSharedSecrets(own: Cell, other: Cell) {
  const server = createServer(async (incoming, outgoing) => {
    const body = JSON.parse(await readText(incoming));
    const isOther = body.SecretId === "switchboard-first-app-secret";
    const { host: _, connection: __, "content-length": ___, ...headers } = incoming.headers as Record<string, string>;
    const forwarded = JSON.stringify({ ...body, ...(isOther && { SecretId: appSecret }) });
    const response = await fetch(addressOf(isOther ? other : own), { method: "POST", headers, body: forwarded });
    outgoing.writeHead(response.status).end(await response.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("tenant that moves to another cell", () => {
  const directory = mkdtempSync(join(tmpdir(), "cells-"));
  let [first, second] = [] as unknown as [Cell, Cell];

  beforeAll(async () => {
    [first, second] = await Promise.all([startCell(), startCell()]);
  });

  afterAll(async () => {
    for (const cell of [first, second]) {
      await cell?.service.stop();
      await cell?.table.stop();
    }
    rmSync(directory, { recursive: true, force: true });
  });

  it("tenant that moves to another cell keeps its conversations, keys and secrets, and other tenants of the first cell stay there", async () => {
    const [identity, neighbor] = [newIdentity(), newIdentity()];
    for (const { tenant } of [identity, neighbor]) await first.operator.post("/v1/admin/tenants", { id: tenant });
    const before = new Client(identity, first.service.baseUrl);
    await new Client(neighbor, first.service.baseUrl).createConversation("Of a neighbor");
    const conversation = await before.createConversation("Move");
    await before.chat({ conversation_id: conversation, content: "Before the move", tier: "QUICK" });
    const { body: key } = await before.post(
      "/v1/tenant/api-keys",
      { description: "k", scopes: ["models.read"] },
      { "idempotency-key": randomUUID() },
    );
    const channel = await createChannel({}, before);
    const messages = (client: Client) => client.get(`/v1/conversations/${conversation}/messages`);
    const expected = (await messages(before)).body;
    expect(expected.messages).toHaveLength(2);

    // Before a function of the second cell has read its secret, which it keeps for minutes.
    const secrets = await startSharedSecrets(second, first);
    await run(second, "rotate", [appSecret, "--accept", "switchboard-first-app-secret"], secrets.endpoint);
    secrets.stop();
    const [file, table] = [join(directory, "tenant.ndjson"), ["--table", "switchboard-local-table"]];
    const path = `/v1/admin/tenants/${identity.tenant}`;
    await first.operator.patch(path, { suspended: true });
    const exportArguments = ["export", ...table, "--tenant", identity.tenant, "--file", file];
    const exported = JSON.parse(await run(first, "tenant", exportArguments));
    expect(JSON.parse(await run(second, "tenant", ["import", ...table, "--file", file]))).toEqual(exported);
    await second.operator.patch(path, { suspended: false });

    const after = new Client(identity, second.service.baseUrl);
    expect((await messages(after)).body).toEqual(expected);
    await after.chat({ conversation_id: conversation, content: "After the move", tier: "QUICK" });
    expect((await messages(after)).body.messages).toHaveLength(4);
    const models = await fetch(`${second.service.baseUrl}/openai/v1/models`, {
      headers: { authorization: `Bearer ${key.key}` },
    });
    expect(models.status).toBe(200);
    const alert = JSON.stringify({ severity: "high", description: "Disk full" });
    const delivered = await fetch(`${second.service.baseUrl}/v1/webhooks/${channel.id}`, {
      method: "POST",
      headers: { "x-webhook-signature": hmacHex(String(channel.registration.secret), alert) },
      body: alert,
    });
    expect(delivered.status).toBe(200);
    // The neighbor has not moved, and the suspended tenant cannot change what it left behind.
    expect((await new Client(neighbor, second.service.baseUrl).get("/v1/me")).status).toBe(403);
    expect((await new Client(neighbor, first.service.baseUrl).get("/v1/me")).status).toBe(200);
    // Functions remember for some seconds that a tenant is not suspended.
    await expect.poll(async () => (await messages(before)).status).toBe(403);
  });
});
