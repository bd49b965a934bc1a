import { beforeAll, expect, it } from "vitest";
import { fromRestApi, readClient } from "#shared/http/http-request.ts";
import { restEvent, setFunctionEnvironment } from "#test/support/handler-events.ts";

const secret = "s".repeat(64);
const cloudFrontHeaders = (address: string) => ({ "x-origin-secret": secret, "x-viewer-address": address });

/** Returns the client address of a request with these headers from this peer. */
async function clientAddress(headers: Record<string, string>, peer: string): Promise<string> {
  const event = restEvent({ path: "/", headers, body: "" });
  event.requestContext.identity.sourceIp = peer;
  return (await readClient(fromRestApi(event as never))).address;
}

const previousSecret = "p".repeat(64);

beforeAll(() =>
  setFunctionEnvironment({ ORIGIN_SECRET: JSON.stringify({ current: secret, previous: previousSecret }) }),
);

it("client address of a request is the viewer address in CloudFront's header", async () => {
  expect(await clientAddress(cloudFrontHeaders("198.51.100.7"), "203.0.113.1")).toBe("198.51.100.7");
});

it("client address of a request is the viewer address if CloudFront still sends the previous secret", async () => {
  const headers = { "x-origin-secret": previousSecret, "x-viewer-address": "198.51.100.7" };
  expect(await clientAddress(headers, "203.0.113.1")).toBe("198.51.100.7");
});

it("client address of a request is the address of the TCP peer when the header is empty and there is no previous secret", async () => {
  setFunctionEnvironment({ ORIGIN_SECRET: JSON.stringify({ current: secret, previous: "" }) });
  const headers = { "x-origin-secret": "", "x-viewer-address": "198.51.100.7" };
  expect(await clientAddress(headers, "203.0.113.1")).toBe("203.0.113.1");
  expect(await clientAddress(cloudFrontHeaders("198.51.100.7"), "203.0.113.1")).toBe("198.51.100.7");
});

it.each([
  ["no secret", {}],
  ["another secret", { "x-origin-secret": "o".repeat(64) }],
  ["both secrets", { "x-origin-secret": `${secret},${previousSecret}` }],
  ["a prefix of the secret", { "x-origin-secret": "s".repeat(63) }],
])(
  "client address of a request is the address of the TCP peer when the origin secret in the header is wrong: %s",
  async (_, headers) => {
    expect(await clientAddress({ ...headers, "x-viewer-address": "198.51.100.7" }, "203.0.113.1")).toBe("203.0.113.1");
  },
);

it("client address of a request is the address of the TCP peer when CloudFront's header is missing", async () => {
  expect(await clientAddress({ "x-origin-secret": secret }, "203.0.113.1")).toBe("203.0.113.1");
});

it.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
  ["2001:0db8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::"],
  ["2001:db8:1:3::1", "2001:db8:1:3::"],
  ["::ffff:198.51.100.7", "198.51.100.7"],
  ["::1", "::"],
  ["no address", "no address"],
])("client address of a request is shortened for rate limiting from %s to %s", async (address, network) => {
  expect(await clientAddress(cloudFrontHeaders(address), "203.0.113.1")).toBe(network);
});
