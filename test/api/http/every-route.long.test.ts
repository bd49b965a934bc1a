import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isMessagesRoute, isScimRoute, type Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { type ApiResponse, readResponse } from "#test/support/client.ts";
import {
  type IdentityProvider,
  newSigningKey,
  type SigningKey,
  startIdentityProvider,
} from "#test/support/identity-provider.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { forEachMessenger } from "#test/support/tenant-resources.ts";

let provider: IdentityProvider;
let service: Switchboard;
let key: SigningKey;

beforeAll(async () => {
  key = await newSigningKey("first");
  provider = await startIdentityProvider([key]);
  const highLimits = Object.fromEntries(
    ["API_KEY", "CHANNEL", "SHARED_LINK", "EMBED_SESSION", "HEALTH"].map((name) => [`RATE_LIMIT_${name}`, "1000000"]),
  );
  // Each check calls all functions in turn, so that fewer workers would start again for each call.
  service = await startSwitchboard({ env: { ...provider.env, ...highLimits, LOCAL_WORKERS: "200" } });
});

afterAll(async () => {
  await service?.stop();
  await provider?.stop();
});

/** Signs a token for a user of a new tenant. */
async function signBearerToken(roles: readonly string[]): Promise<string> {
  const claims = { tenant_id: `t-${randomUUID()}`, uid: `u-${randomUUID()}`, roles };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", kid: "first" })
    .setIssuer(provider.issuer)
    .setAudience(provider.audience)
    .setExpirationTime("5m")
    .sign(key.privateKey);
  return `Bearer ${token}`;
}

const toPath = ({ path }: Route, id: string = randomUUID()) =>
  path.replace("{version}", "1").replace(/\{\w+\+?\}/g, id);

async function call(route: Route, headers: Record<string, string> = {}, body?: string): Promise<ApiResponse> {
  return readResponse(
    await fetch(service.baseUrl + toPath(route), {
      method: route.method,
      redirect: "manual",
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body }),
    }),
  );
}

/** Expects the headers that every response has. */
function expectCommonHeaders({ headers }: ApiResponse): void {
  expect(headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  for (const name of ["limit", "remaining", "reset"]) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("strict-transport-security")).toContain("max-age=");
}

/** Tells whether a function sent the response, and not API Gateway, whose errors have one form for all paths. */
const isOfFunction = ({ headers }: ApiResponse) => headers.get("content-type") !== "application/problem+json";

/** Returns the status of a body that is no object, which SCIM gives status 400 (RFC 7644, section 3.12). */
const invalidStructure = (route: Route) => (isScimRoute(route) ? 400 : 422);

/** JSON-RPC codes of `/mcp` for requests whose body is no message. Its other errors are problems. */
const rpcCodes: Readonly<Record<string, number>> = {
  malformed_body: -32700,
  invalid_structure: -32600,
  validation_failed: -32600,
};

/** Expects an error in the format of the route's API. */
function expectError(route: Route, response: ApiResponse, status: number, code: string): void {
  expect([route.id, response.status]).toEqual([route.id, status]);
  if (route.path.startsWith("/openai/")) {
    const isAnthropic = route.streaming && isMessagesRoute(route);
    const names = isAnthropic ? ["message", "type"] : ["code", "message", "param", "type"];
    expect(Object.keys(response.body.error).sort()).toEqual(names);
  } else if (route.id === "callMcp" && rpcCodes[code] !== undefined) {
    expect(response.body).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: rpcCodes[code] } });
  } else if (isScimRoute(route) && isOfFunction(response)) {
    const { schemas } = response.body;
    expect([schemas?.[0], response.body.status]).toEqual([
      "urn:ietf:params:scim:api:messages:2.0:Error",
      String(status),
    ]);
  } else {
    expect(response.body).toMatchObject({ status, code, type: `/problems/${code.replaceAll("_", "-")}` });
    expect(response.body.request_id).toBe(response.headers.get("x-request-id"));
  }
  expectCommonHeaders(response);
  expect(response.text).not.toMatch(/arn:aws|dynamodb|node_modules|at \w+ \(|Exception/i);
}

const withTitle = (selected: readonly Route[]) =>
  selected.map((route) => [`${route.method} ${route.path}`, route] as const);
const authenticatedRoutes = forEachMessenger(routes).filter(({ auth }) => auth !== "none");
const jwtRoutes = forEachMessenger(routes).filter(({ auth }) => auth === "jwt");
const wrongCredentials: Record<string, Record<string, string>> = {
  jwt: { authorization: `Bearer swk_abcdefgh_${"0".repeat(32)}` },
  "api-key": { authorization: "jwt" },
  "embed-key": { "x-embed-key": `swk_abcdefgh_${"0".repeat(32)}` },
  "deployment-key": { authorization: "jwt" },
};

it("API route has a unique id, a unique path and a summary", () => {
  expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
  expect(new Set(routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`)).size).toBe(
    routes.length,
  );
  for (const { summary } of routes) expect(summary).toMatch(/^[A-Z].{4,100}[^.]$/);
});

it.each(withTitle(authenticatedRoutes))("API route %s returns 401 without a credential", async (_, route) => {
  expectError(route, await call(route), 401, "unauthorized");
  if (route.method !== "GET") expectError(route, await call(route, {}, "{"), 401, "unauthorized");
});

it.each(withTitle(authenticatedRoutes))(
  "API route %s returns 401 for a credential of the wrong kind",
  async (_, route) => {
    const headers = { ...wrongCredentials[route.auth] };
    if (headers.authorization === "jwt") headers.authorization = await signBearerToken(["admin"]);
    const response = await call(route, headers);
    expectError(route, response, 401, "unauthorized");
    expect(response.headers.get("x-ratelimit-limit")).toBe("0");
  },
);

it.each(withTitle(jwtRoutes.filter(({ capability }) => capability)))(
  "API route %s returns 403 when the caller lacks the required permission",
  async (_, route) => {
    const authorization = await signBearerToken(["undefined-role"]);
    expectError(route, await call(route, { authorization }, route.body && "{}"), 403, "forbidden");
  },
);

it.each(withTitle(jwtRoutes.filter(({ body }) => body)))(
  "API route %s returns 400 or 422 for an invalid body",
  async (_, route) => {
    const authorization = await signBearerToken(["admin"]);
    const headers = { authorization, "idempotency-key": randomUUID() };
    expectError(route, await call(route, headers, "{nonsense"), 400, "malformed_body");
    expectError(route, await call(route, headers, "[]"), invalidStructure(route), "invalid_structure");
    // SCIM ignores attributes that a schema does not have (RFC 7644, section 3.3).
    if (isScimRoute(route)) return;
    const response = await call(route, headers, '{"no_such_field":1}');
    expectError(route, response, 400, "validation_failed");
    expect(response.body.errors ?? response.body.error.data.errors).toContainEqual(
      expect.objectContaining({ path: "no_such_field", location: "body", code: "unknown_field" }),
    );
  },
);

it.each(withTitle(jwtRoutes.filter(({ body, method }) => !body && method !== "GET" && method !== "ANY")))(
  "API route %s refuses a body with fields that its contract does not have",
  async (_, route) => {
    const headers = { authorization: await signBearerToken(["admin"]), "idempotency-key": randomUUID() };
    expectError(route, await call(route, headers, '{"decision":"deny"}'), invalidStructure(route), "invalid_structure");
    expect((await call(route, headers, " {} ")).status).not.toBe(422);
  },
);

it.each(
  withTitle(jwtRoutes.filter(({ path, method }) => path.includes("{") && method !== "POST" && !path.includes("+"))),
)("API route %s returns the same 404 for an unknown id and for a malformed id", async (_, route) => {
  const headers = { authorization: await signBearerToken(["admin"]), "x-request-id": "same" };
  const send = async (id: string) =>
    readResponse(
      await fetch(service.baseUrl + toPath(route, id), {
        method: route.method,
        headers: { ...headers, ...(route.body && { "content-type": "application/json" }) },
        ...(route.body && { body: "{}" }),
      }),
    );
  const unknownResponse = await send(randomUUID());
  // Body validation precedes the lookup.
  if (unknownResponse.status === 400 && isScimRoute(route)) return expectError(route, unknownResponse, 400, "");
  if (unknownResponse.status === 400) return expect(unknownResponse.body.code).toBe("validation_failed");
  expectError(route, unknownResponse, 404, "not_found");
  for (const id of ["not-an-id", "x".repeat(200), "%00", "a%23b"]) {
    const response = await send(id);
    expect([response.status, response.text]).toEqual([404, unknownResponse.text]);
  }
});
