import { expect, it } from "vitest";
import { groups } from "#shared/api/groups.ts";
import { routes } from "#shared/api/routes.ts";
import { ACT_AS_SCOPE, isUserScope, openaiScopes, scopeOf, scopePresets, userScopes } from "#shared/api/scopes.ts";

const userRoutes = routes.filter(({ auth }) => auth === "jwt");

it("scopes of API keys include one for each route that takes a user's token, named after the route's group", () => {
  for (const route of userRoutes) {
    const scope = String(scopeOf(route));
    expect([route.id, isUserScope(scope) || scope === ACT_AS_SCOPE, scope.split(".")[0]]).toEqual([
      route.id,
      true,
      route.group,
    ]);
  }
});

it("scopes of API keys include only scopes that a route requires", () => {
  const required = new Set(routes.map(scopeOf));
  expect([...userScopes, ...openaiScopes].filter((scope) => !required.has(scope))).toEqual([]);
});

it("scopes of API keys are in the order of the groups of the documentation", () => {
  const order = Object.keys(groups);
  const positions = userScopes.map((scope) => order.indexOf(scope.split(".")[0] ?? ""));
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
});

it.each(Object.entries<readonly string[]>(scopePresets))(
  "scope preset %s has scopes of /v1 only, each once",
  (_, scopes) => {
    expect(scopes.filter((scope) => isUserScope(scope) || scope === ACT_AS_SCOPE)).toEqual([...new Set(scopes)]);
  },
);

it.each(["read_only", "knowledge_sync", "administrator"] as const)(
  "scope preset %s cannot act on behalf of users",
  (preset) => {
    expect(scopePresets[preset]).not.toContain(ACT_AS_SCOPE);
  },
);

it("scope preset read_only allows only routes with the method GET, and the rendering of templates", () => {
  const readable: readonly string[] = scopePresets.read_only;
  const changing = userRoutes.filter(({ method }) => method !== "GET");
  const allowed = changing.filter((route) => readable.includes(String(scopeOf(route)))).map(({ id }) => id);
  expect(allowed).toEqual(["renderTemplate"]);
});

it("scope presets chat_backend and knowledge_sync allow no operation of administrators", () => {
  const limited: readonly string[] = [...scopePresets.chat_backend, ...scopePresets.knowledge_sync];
  const reached = userRoutes.filter((route) => limited.includes(String(scopeOf(route))));
  const capabilities = new Set(reached.map(({ capability }) => capability).filter(Boolean));
  expect([...capabilities].toSorted()).toEqual(["knowledge.create", "message.delete", "message.edit", "message.read"]);
});
