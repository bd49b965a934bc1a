import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { fetchPublic } from "#shared/knowledge/imports/fetch-public.ts";
import { startNameServer } from "#test/support/knowledge/name-server.ts";

/** Address of a name server for all look-ups of this file. */
const names = vi.hoisted(() => ({ server: "" }));
vi.mock("node:dns", async (importOriginal) => {
  const dns = await importOriginal<typeof import("node:dns")>();
  const lookup = (name: string, _: object, callback: (error: Error | null, found: object[]) => void) => {
    const resolver = new dns.Resolver({ tries: 1, timeout: 1_000 });
    resolver.setServers([names.server]);
    resolver.resolve4(name, (error, found = []) =>
      callback(
        error,
        found.map((address) => ({ address, family: 4 })),
      ),
    );
  };
  return { ...dns, lookup };
});

const publicAddress = "93.184.216.34";
let server: Server;
let port: number;
let requests = 0;

beforeAll(async () => {
  server = createServer((_, response) => {
    requests++;
    response.end("secret");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
  vi.stubEnv("IMPORT_PORTS", String(port));
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

it.each([
  ["resolves to a private address", [["127.0.0.1"]], "address_not_allowed"],
  ["resolves to a public and a private address", [[publicAddress, "127.0.0.1"]], "address_not_allowed"],
  ["resolves to a private address after the first look-up", [[publicAddress], ["127.0.0.1"]], "unreachable"],
] as const)("fetchPublic() sends no request to a host whose name %s", async (_, answers, code) => {
  const nameServer = await startNameServer(answers);
  names.server = nameServer.address;
  const url = `http://rebinding.example:${port}/`;
  await expect(fetchPublic(url, { signal: AbortSignal.timeout(500) })).rejects.toMatchObject({ code });
  expect(nameServer.queries).toBe(1);
  // The second import sees the next answer.
  await expect(fetchPublic(url, { signal: AbortSignal.timeout(500) })).rejects.toMatchObject({
    code: "address_not_allowed",
  });
  expect(requests).toBe(0);
  nameServer.stop();
});

it("fetchPublic() connects to the address that it has checked", async () => {
  const nameServer = await startNameServer([["127.0.0.1"], [publicAddress]]);
  names.server = nameServer.address;
  const page = await fetchPublic(`http://rebinding.example:${port}/`, {
    isAllowed: (address) => address === "127.0.0.1",
  });
  expect([page.content.toString(), nameServer.queries, requests]).toEqual(["secret", 1, 1]);
  nameServer.stop();
});
