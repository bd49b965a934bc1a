import { expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";

async function createCollection(client: Client): Promise<string> {
  const { body } = await client.post("/v1/knowledge/collections", { name: crypto.randomUUID(), readers: ["tenant"] });
  return `/v1/knowledge/collections/${body.id}`;
}

it("import of web pages fails with the code address_not_allowed when the address is not public", async () => {
  const client = new Client();
  const collection = await createCollection(client);
  const { status, body } = await client.post(`${collection}/imports`, { url: `${client.baseUrl}/health` });
  expect(status).toBe(201);
  expect(body).toMatchObject({ kind: "page", status: "running", max_pages: 20, refresh_hours: null, pages: [] });
  const path = `${collection}/imports/${body.id}`;
  await vi.waitFor(
    async () => {
      const { body: found } = await client.get(path);
      expect(found).toMatchObject({ status: "failed", failure: { code: "address_not_allowed" } });
    },
    { timeout: 180_000, interval: 200 },
  );
  expect((await client.get(`${collection}/imports`)).body.imports).toHaveLength(1);
  const { body: retried, status: retryStatus } = await client.post(`${path}/retry`, {});
  expect([retryStatus, retried.status, retried.failure]).toEqual([200, "running", null]);
  await vi.waitFor(async () => expect((await client.get(path)).body.status).toBe("failed"), {
    timeout: 180_000,
    interval: 200,
  });
  expect((await client.post(`${path}/cancel`, {})).body.status).toBe("failed");
  const colleague = new Client({ ...newIdentity("member"), tenant: client.identity.tenant });
  expect((await colleague.get(path)).status).toBe(200);
  expect((await colleague.delete(path)).status).toBe(403);
  for (const action of ["retry", "cancel"]) expect((await colleague.post(`${path}/${action}`, {})).status).toBe(403);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
});

it.each([
  { url: "ftp://example.com/" },
  { url: "https://user:secret@example.com/" },
  { url: "not a url" },
  { url: "https://example.com/", max_pages: 51 },
  { url: "https://example.com/", refresh_hours: 0 },
])("import of web pages is rejected with 400 for the request body %j", async (body) => {
  const client = new Client();
  expect((await client.post(`${await createCollection(client)}/imports`, body)).status).toBe(400);
});
