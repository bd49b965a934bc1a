import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";

const toPath = (messenger: string) => `/v1/messengers/${messenger}`;

it("messengers' API does not know other messengers than Slack and Teams", async () => {
  const client = new Client(newIdentity());
  const responses = [
    await client.get(`${toPath("other")}/workspaces`),
    await client.post(`${toPath("other")}/workspaces`, { name: "Desk" }),
    await client.get(`${toPath("other")}/links`),
  ];
  expect(responses.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([404, "not_found"]));
});

it.each([
  ["slack", { app: { id: randomUUID(), secret: "x" } }, ["app"]],
  ["teams", { bot_token: "xoxb-0000000000", signing_secret: "0".repeat(32) }, ["bot_token", "signing_secret"]],
] as const)("workspace of %s refuses credentials of another messenger", async (messenger, credentials, refused) => {
  const client = new Client(newIdentity());
  const path = `${toPath(messenger)}/workspaces`;
  const { body: workspace } = await client.post(path, { name: "Desk" });
  expect(workspace).toMatchObject({ messenger, status: "incomplete", organization_id: null, app_id: null });
  for (const { status, body } of [
    await client.post(path, { name: "Desk", ...credentials }),
    await client.patch(`${path}/${workspace.id}`, credentials),
  ]) {
    expect([status, body.errors]).toMatchObject([400, refused.map((name) => ({ path: name, code: "unknown_field" }))]);
  }
  const { body } = await client.get(path);
  expect(body.workspaces).toEqual([workspace]);
});

it("workspaces of Slack and Teams are listed, found and removed only under their own messenger", async () => {
  const client = new Client(newIdentity());
  const ids = await Promise.all(
    ["slack", "teams"].map(
      async (messenger) => (await client.post(`${toPath(messenger)}/workspaces`, { name: messenger })).body.id,
    ),
  );
  for (const [index, messenger] of ["slack", "teams"].entries()) {
    const path = `${toPath(messenger)}/workspaces`;
    const { body } = await client.get(path);
    expect(body.workspaces).toMatchObject([{ id: ids[index], messenger, name: messenger }]);
    const foreign = `${path}/${ids[1 - index]}`;
    const responses = [
      await client.get(foreign),
      await client.patch(foreign, { name: "X" }),
      await client.delete(foreign),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
  }
});

it("messengers' API answers 409 where a messenger has no code and no app of the deployment", async () => {
  const client = new Client(newIdentity());
  const { body: workspace } = await client.post(`${toPath("slack")}/workspaces`, { name: "Desk" });
  const installations = `${toPath("teams")}/installations`;
  const responses = [
    await client.post(`${toPath("slack")}/workspaces/${workspace.id}/codes`, undefined),
    await client.post(installations, {}),
    await client.put(installations, { state: "x", code: "x" }),
  ];
  expect(responses.map(({ status, body }) => [status, body.detail])).toEqual([
    [409, expect.stringContaining("needs no code")],
    [409, expect.stringContaining("Only Slack")],
    [409, expect.stringContaining("Only Slack")],
  ]);
  const unknown = await client.post(`${toPath("slack")}/workspaces/${randomUUID()}/codes`, undefined);
  expect(unknown.status).toBe(404);
});
