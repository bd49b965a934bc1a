import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startBrowser } from "#test/support/browser.ts";
import { newSigningKey } from "#test/support/identity-provider.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";

const audience = "https://switchboard.test/api";
const clientId = "switchboard-console";

let server: Server;
let service: Switchboard;
let browser: Browser;
let issuer: string;
let handle: ReturnType<Provider["callback"]>;
/** Number of tokens that the console asked the provider to revoke. */
let revocations = 0;

/** Creates a provider with one public client, whose users are asked for nothing but their name. */
async function createProvider(redirectUri: string): Promise<Provider> {
  const { jwk } = await newSigningKey("console");
  return new Provider(issuer, {
    jwks: { keys: [jwk] },
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: "none",
        application_type: "native",
        grant_types: ["authorization_code"],
        response_types: ["code"],
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [new URL("/console/", redirectUri).href],
      },
    ],
    clientBasedCORS: () => true,
    pkce: { required: () => true },
    cookies: { keys: ["tests"] },
    scopes: ["openid", "profile", "email", "api"],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      rpInitiatedLogout: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "api openid profile email",
          audience,
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
    extraTokenClaims: () => ({ tenant_id: "acme", roles: ["member"], name: "Nadia" }),
  });
}

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.method === "POST" && request.url === "/token/revocation") revocations++;
    void handle(request, response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  [service, browser] = await Promise.all([
    startSwitchboard({
      env: {
        AUTH_PROVIDER: "jwt",
        JWT_ISSUER: issuer,
        JWT_AUDIENCE: audience,
        JWT_JWKS_URL: `${issuer}/jwks`,
        CONSOLE_CLIENT_ID: clientId,
      },
    }),
    startBrowser(),
  ]);
  handle = (await createProvider(`${service.baseUrl}/console/signed-in`)).callback();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  server?.closeAllConnections();
  server?.close();
});

it("console signs in with authorization code and PKCE, returns to the requested page, and signs out", async () => {
  const page = await (await browser.newContext({ locale: "en-US" })).newPage();
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(String(error)));
  page.on("console", (message) => {
    // Ignores messages of the provider's pages, which load a font from the network.
    const isOwn = message.location().url.startsWith(service.baseUrl);
    if (isOwn && message.type() === "error") pageErrors.push(message.text());
  });
  await page.goto(`${service.baseUrl}/console/knowledge`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("input[name=login]").fill("nadia");
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]").click();
  await page.getByRole("heading", { name: "Knowledge" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/knowledge");
  await page.reload();
  await page.getByRole("button", { name: "Menu of" }).click();
  expect(pageErrors).toEqual([]);
  const { accessToken } = await page.evaluate(() => JSON.parse(sessionStorage.getItem("switchboard.tokens") ?? "{}"));
  expect(accessToken).toBeTruthy();
  // The name of the user is the owner of what the browser keeps for times without a connection.
  const owners = () =>
    page.evaluate(async () => {
      const cache = await caches.open("switchboard-data");
      return (await cache.keys()).map((key) => new URL(key.url).searchParams.get("owner"));
    });
  await expect.poll(owners).toContain(`${issuer} nadia`);
  expect(new Set(await owners()).size).toBe(1);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  // The provider asks whether to end its own session, too.
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(page.url()).toBe(`${service.baseUrl}/console/`);
  expect(revocations).toBe(1);
  expect(await owners()).toEqual([]);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("input[name=login]").waitFor();
});
