import { expect, it } from "vitest";
import { Client, readResponse } from "#test/support/client.ts";

const client = new Client();
const request = (headers: Record<string, string>, path = "/v1/memories") =>
  fetch(client.baseUrl + path, { headers: { ...client.headers, ...headers } }).then(readResponse);

it.each(["Bearer wrong", "Bearer", "Basic bWU6bWU=", "wrong"])(
  "local mode answers 401 for the credential %j, as a deployment does",
  async (authorization) => {
    for (const path of ["/v1/memories", "/v1/runtime/chat/01ARZ3NDEKTSV4RRFFQ69G5FAV/stream"]) {
      expect((await request({ authorization }, path)).status, path).toBe(401);
    }
  },
);

it("local mode acts as the local user without a credential", async () => {
  expect((await request({})).status).toBe(200);
});
