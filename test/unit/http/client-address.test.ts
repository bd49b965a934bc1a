import { beforeAll, describe, expect, it } from "vitest";
import { fromRestApi } from "#shared/http/http-request.ts";
import { restEvent, setFunctionEnvironment } from "#test/support/handler-events.ts";

const secret = "s".repeat(64);
const throughEdge = (address: string) => ({ "x-origin-secret": secret, "x-viewer-address": address });

/** Where a request with these headers comes from, sent by this peer. */
function from(headers: Record<string, string>, peer: string): string {
  const event = restEvent({ path: "/", headers, body: "" });
  event.requestContext.identity.sourceIp = peer;
  return fromRestApi(event as never).address;
}

beforeAll(() => setFunctionEnvironment({ ORIGIN_SECRET: secret }));

describe("where a client calls from", () => {
  it("is what CloudFront says", () => {
    expect(from(throughEdge("198.51.100.7"), "203.0.113.1")).toBe("198.51.100.7");
  });

  it.each([
    ["without the secret", {}],
    ["with another secret", { "x-origin-secret": "o".repeat(64) }],
    ["with a part of the secret", { "x-origin-secret": "s".repeat(63) }],
  ])("is the peer where the request says so %s", (_, shown) => {
    expect(from({ ...shown, "x-viewer-address": "198.51.100.7" }, "203.0.113.1")).toBe("203.0.113.1");
  });

  it("is the peer where CloudFront says nothing", () => {
    expect(from({ "x-origin-secret": secret }, "203.0.113.1")).toBe("203.0.113.1");
  });

  it.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
    ["2001:0db8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::"],
    ["2001:db8:1:3::1", "2001:db8:1:3::"],
    ["::ffff:198.51.100.7", "198.51.100.7"],
    ["::1", "::"],
    ["no address", "no address"],
  ])("is the network of %s", (address, network) => {
    expect(from(throughEdge(address), "203.0.113.1")).toBe(network);
  });
});
