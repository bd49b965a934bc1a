import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { Client } from "#test/support/client.ts";
import { sized } from "#test/support/run-size.ts";

/** Rounds of concurrent equal requests. */
const rounds = sized({ usual: 4, full: 60, soak: 1_000 });

it("Idempotency-Key is required to create an API key and must consist of visible ASCII characters", async () => {
  const client = new Client();
  const body = { description: "", scopes: ["models.read"] };
  const missingResponse = await client.post("/v1/tenant/api-keys", body);
  expect([missingResponse.status, missingResponse.body.code]).toEqual([400, "idempotency_key_required"]);
  for (const key of ["x".repeat(256), "a b"]) {
    const response = await client.post("/v1/tenant/api-keys", body, { "idempotency-key": key });
    expect([response.status, response.body.errors[0].location]).toEqual([400, "header"]);
  }
  expect((await client.get("/v1/tenant/api-keys")).body.keys).toEqual([]);
});

it("Idempotency-Key returns the first response again only for an equal request of the same user to the same route", async () => {
  const client = new Client();
  const headers = { "idempotency-key": "k1" };
  const first = await client.post("/v1/conversations", { title: "One" }, headers);
  const secondResponse = await client.post("/v1/conversations", { title: "One" }, headers);
  expect(secondResponse.body).toEqual(first.body);
  expect(secondResponse.headers.get("location")).toBe(first.headers.get("location"));
  expect(secondResponse.headers.get("idempotent-replayed")).toBe("true");
  const otherResponse = await client.post("/v1/conversations", { title: "Two" }, headers);
  expect([otherResponse.status, otherResponse.body.code]).toEqual([422, "idempotency_key_reused"]);
  const colleague = new Client({ ...client.identity, user: randomUUID() });
  expect((await colleague.post("/v1/conversations", { title: "One" }, headers)).body.id).not.toBe(first.body.id);
  expect((await client.post("/v1/groups", { name: "One" }, headers)).status).toBe(201);
  expect((await client.get("/v1/conversations")).body.conversations.length).toBe(1);
});

it("Idempotency-Key does not return a failed response again: the retry is executed", async () => {
  const client = new Client();
  const headers = { "idempotency-key": "k1" };
  expect((await client.post("/v1/conversations", { title: "" }, headers)).status).toBe(400);
  expect((await client.post("/v1/conversations", { title: "Good" }, headers)).status).toBe(201);
});

it(`Idempotency-Key makes 50 equal concurrent requests take effect once, in each of ${rounds} rounds`, async () => {
  for (let round = 0; round < rounds; round++) {
    const client = new Client();
    const headers = { "idempotency-key": randomUUID() };
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => client.post("/v1/conversations", { title: "Once" }, headers)),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(
      responses.filter(({ headers: responseHeaders }) => responseHeaders.get("idempotent-replayed") === null).length,
    ).toBe(1);
    expect((await client.get("/v1/conversations")).body.conversations.length).toBe(1);
  }
});
