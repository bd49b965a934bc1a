import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";

it("deployment that has only the built-in model rejects a tenant's model that names no provider", async () => {
  const client = new Client(newIdentity());
  const { status, body } = await client.post("/v1/models", { name: "gpt", model_id: "gpt-4.1", api_key: "sk-own" });
  expect([status, body.errors]).toEqual([
    400,
    [expect.objectContaining({ path: "provider", code: "unknown_provider" })],
  ]);
});
