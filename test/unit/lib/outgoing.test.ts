import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isInRanges } from "#shared/lib/outgoing/addresses.ts";
import { type GuardedRequest, readBounded, requestGuarded } from "#shared/lib/outgoing/guarded-request.ts";

it.each([
  ["10.20.3.4", "10.20.0.0/16", true],
  ["10.21.0.1", "10.20.0.0/16", false],
  ["::ffff:10.20.3.4", "10.20.0.0/16", true],
  ["fd00::7", "10.20.0.0/16,fd00::/8", true],
  ["127.0.0.1", "", false],
  ["127.0.0.1", "nonsense,127.0.0.1/32", true],
  ["nonsense", "0.0.0.0/0", false],
])("isInRanges() tells whether %s is in %s: %s", (address, ranges, expected) => {
  expect(isInRanges(address, ranges)).toBe(expected);
});

let server: Server;
let other: Server;
let origin: string;
const received: { path: string; method: string; body: string; authorization: string | undefined }[] = [];

async function record(request: IncomingMessage, response: ServerResponse) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { url: path = "", method = "", headers } = request;
  received.push({ path, method, body, authorization: headers.authorization });
  const { port } = other.address() as AddressInfo;
  const locations: Record<string, [number, string]> = {
    "/moved": [308, "/target"],
    "/found": [302, "/target"],
    "/elsewhere": [307, `http://127.0.0.1:${port}/target`],
  };
  const [status, location] = locations[path] ?? [];
  if (status) response.writeHead(status, { location }).end();
  else if (path === "/silent") response.writeHead(200).write("x");
  else response.writeHead(200).end("done");
}

beforeAll(async () => {
  server = createServer(record);
  other = createServer(record);
  for (const each of [server, other]) await new Promise<void>((resolve) => each.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const each of [server, other]) {
    each.closeAllConnections();
    each.close();
  }
});

const post = (path: string, options: Partial<GuardedRequest> = {}) =>
  requestGuarded(`${origin}${path}`, {
    method: "POST",
    headers: { authorization: "Bearer secret" },
    body: "text",
    findRefusal: () => null,
    redirects: "same-origin",
    signal: AbortSignal.timeout(5_000),
    ...options,
  });

it("requestGuarded() repeats a request with its body at a target of the same origin", async () => {
  received.length = 0;
  const signal = AbortSignal.timeout(5_000);
  const response = await post("/moved");
  expect((await readBounded(response, 100, signal)).toString()).toBe("done");
  expect(received.map(({ path, method, body }) => [path, method, body])).toEqual([
    ["/moved", "POST", "text"],
    ["/target", "POST", "text"],
  ]);
});

it.each(["/elsewhere", "/found"])(
  "requestGuarded() sends credentials to no other origin and turns no POST into a GET: %s",
  async (path) => {
    received.length = 0;
    await expect(post(path)).rejects.toMatchObject({ code: "too_many_redirects" });
    expect(received.map((request) => request.path)).toEqual([path]);
  },
);

it("requestGuarded() checks the address before each connection, also that of a redirect's target", async () => {
  received.length = 0;
  const asked: string[] = [];
  const findRefusal: GuardedRequest["findRefusal"] = (address, { pathname }) => {
    asked.push(`${address} ${pathname}`);
    return pathname === "/target" ? "port_not_allowed" : null;
  };
  await expect(post("/moved", { findRefusal })).rejects.toMatchObject({ code: "port_not_allowed" });
  expect(asked).toEqual(["127.0.0.1 /moved", "127.0.0.1 /target"]);
  expect(received).toHaveLength(1);
});

it("requestGuarded() ends with a timeout while the body is read", async () => {
  const signal = AbortSignal.timeout(200);
  const response = await post("/silent", { signal });
  await expect(readBounded(response, 100, signal)).rejects.toMatchObject({ code: "timeout" });
});
