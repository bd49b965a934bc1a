import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { discoverAuthorization } from "#shared/tools/oauth/discover.ts";

/** Response of the registration. */
let registered: string;
/** Method of the only requests to which the server answers with a challenge, which names another address. */
let challenged = "";
/** Host name in the endpoints of the authorization server. */
let host = "127.0.0.1";

const server = createServer((request, response) => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = `http://${host}:${(server.address() as AddressInfo).port}`;
  const bodies: Readonly<Record<string, string>> = {
    "/.well-known/oauth-protected-resource/mcp": JSON.stringify({
      resource: `${origin}/mcp`,
      authorization_servers: [origin],
    }),
    "/.well-known/oauth-authorization-server": JSON.stringify({
      issuer: origin,
      authorization_endpoint: `${endpoints}/authorize`,
      token_endpoint: `${endpoints}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    }),
    "/custom.json": JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [origin] }),
    "/register": registered,
  };
  if (request.url === "/mcp" && request.method === challenged) {
    response.setHeader("www-authenticate", `Bearer resource_metadata="${origin}/custom.json", scope="notes"`);
  }
  const isFound = request.url !== "/.well-known/oauth-protected-resource/mcp" || challenged === "";
  const body = isFound ? bodies[request.url ?? ""] : undefined;
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

it.each(["GET", "POST"])(
  "discoverAuthorization() takes metadata and scope from the challenge to a %s",
  async (method) => {
    challenged = method;
    registered = JSON.stringify({ client_id: "c1", redirect_uris: [] });
    expect((await discover()).authorization.scope).toBe("notes");
    challenged = "";
  },
);

it("discoverAuthorization() accepts localhost without https only where loopback addresses are allowed", async () => {
  registered = JSON.stringify({ client_id: "c1", redirect_uris: [] });
  host = "localhost";
  expect((await discover()).authorization.token_endpoint).toContain("http://localhost:");
  host = "localhost.example.com";
  await expect(discover()).rejects.toThrow("no usable authorization_endpoint");
  host = "127.0.0.1";
});
