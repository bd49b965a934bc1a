import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { discoverAuthorization } from "#shared/tools/oauth/discover.ts";

/** Response of the registration. */
let registered: string;

const server = createServer((request, response) => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bodies: Readonly<Record<string, string>> = {
    "/.well-known/oauth-protected-resource/mcp": JSON.stringify({
      resource: `${origin}/mcp`,
      authorization_servers: [origin],
    }),
    "/.well-known/oauth-authorization-server": JSON.stringify({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    }),
    "/register": registered,
  };
  const body = bodies[request.url ?? ""];
  const status = request.url === "/mcp" ? 401 : body === undefined ? 404 : request.method === "POST" ? 201 : 200;
  response.writeHead(status, { "content-type": "application/json" }).end(body);
});

beforeAll(async () => {
  vi.stubEnv("TOOL_PRIVATE_RANGES", "127.0.0.0/8");
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

const discover = () =>
  discoverAuthorization(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, {
    clientId: undefined,
    clientSecret: undefined,
    scope: undefined,
    redirectUri: "https://console.example/console/tool-sign-in",
    documentUrl: "http://console.example/client",
  });

it("discoverAuthorization() accepts a registered secret without its expiry, as some servers send it", async () => {
  registered = JSON.stringify({ client_id: "c1", client_secret: "s1", redirect_uris: [] });
  const { authorization, clientSecret } = await discover();
  expect([authorization.client_id, authorization.auth_method, clientSecret]).toEqual([
    "c1",
    "client_secret_basic",
    "s1",
  ]);
});

it("discoverAuthorization() refuses a registration that is not JSON", async () => {
  registered = "<html>";
  await expect(discover()).rejects.toThrow("does not follow the protocol");
});
