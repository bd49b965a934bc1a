import { request } from "node:http";
import { expect, it } from "vitest";
import { Client } from "#test/support/client.ts";

const client = new Client();

/** Sends a request with a path as it is, which `fetch` would normalize. Returns status and content type. */
function getRaw(path: string): Promise<[status: number | undefined, contentType: string | undefined]> {
  const { hostname, port } = new URL(client.baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers: client.headers }, (response) => {
      response.resume();
      resolve([response.statusCode, response.headers["content-type"]]);
    });
    sent.on("error", reject).end();
  });
}

it.each(["//v1/conversations", "/v1//conversations", "/v1/./conversations"])(
  "request with a path that matches no operation is answered with 404 and a problem document: %s",
  async (path) => {
    expect(await getRaw(path)).toEqual([404, "application/problem+json"]);
  },
);

it("repeated query parameter of a request has its last value, as in events of API Gateway", async () => {
  expect((await client.get("/v1/conversations?limit=1&limit=2")).body.limit).toBe(2);
  expect((await client.get("/v1/conversations?limit=2&limit=x")).status).toBe(400);
});
