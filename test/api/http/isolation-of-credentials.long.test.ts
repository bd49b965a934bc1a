import * as v from "valibot";
import { beforeAll, expect, it } from "vitest";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { scopeOf, userScopes } from "#shared/api/scopes.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { addIssuer } from "#test/support/tenancy/add-issuer.ts";
import { createKeyClient, KeyClient } from "#test/support/tenancy/key-client.ts";
import {
  findChanged,
  forEachMessenger,
  getOidcServer,
  type ResourceIds,
  seedTenant,
  toRequest,
  toUnknownIds,
} from "#test/support/tenant-resources.ts";

const userRoutes = forEachMessenger(routes).filter(
  ({ auth, keys, path }) => auth === "jwt" && !keys && path.includes("{"),
);
// A list of what belongs to something else is read with its id, like the routes above.
const listRoutes = forEachMessenger(routes).filter(
  ({ auth, keys, path, method, query }) =>
    auth === "jwt" && !keys && method === "GET" && !path.includes("{") && (!query || v.is(query, { q: "secret" })),
);

/** Returns a request for an access token of a user. */
const toExchange = (user: string, scope: string) => ({
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token: user,
  subject_token_type: "urn:switchboard:token-type:user-id",
  scope,
});

const owner = new Client();
const stranger = new Client(newIdentity());
let ownerIds: ResourceIds;
let unknownIds: ResourceIds;
/** Credentials of the stranger on `/v1` in addition to a token. */
let programs: readonly Client[];

beforeAll(async () => {
  ownerIds = await seedTenant(owner, "harbour");
  unknownIds = toUnknownIds(ownerIds);
  const program = await createKeyClient(stranger, { preset: "administrator", scopes: ["users.act_as"] });
  // The same user id in another tenant is another user, for whom keys act until the last of the programs signs in.
  const { body: token } = await program.post("/v1/tokens", toExchange(owner.identity.user, userScopes.join(" ")));
  await stranger.post("/v1/groups", { name: "Admins", roles: ["admin"], member_ids: [owner.identity.user] });
  const page = new KeyClient(stranger, program.keyId, token.access_token);
  // The same user id, from the identity provider that both tenants have with different audiences.
  const provider = await getOidcServer();
  await addIssuer(stranger, provider, { audience: stranger.identity.tenant, claims: { roles: "roles" } });
  const claims = { aud: stranger.identity.tenant, sub: owner.identity.user, roles: ["admin"] };
  const federated = new KeyClient(stranger, "", await provider.sign(claims));
  programs = [program, program.onBehalfOf(owner.identity.user), page, federated];
});

/** Returns the routes that answer otherwise for ids of another tenant than for unknown ones. */
async function findLeaks(client: Client, selected: readonly Route[]): Promise<unknown[]> {
  const leaks: unknown[] = [];
  await mapConcurrent(selected, async (route) => {
    const [foreign, missing] = [toRequest(route, ownerIds), toRequest(route, unknownIds)];
    const send = ({ path, body }: typeof foreign) =>
      client.request(route.method, path, body, { "x-request-id": "same" });
    const [foreignResponse, missingResponse] = [await send(foreign), await send(missing)];
    if (foreignResponse.status !== 404 || foreignResponse.text !== missingResponse.text) {
      leaks.push([route.id, foreignResponse.status, missingResponse.status]);
    }
  });
  return leaks;
}

it("isolation of tenants lets no API key or access token of a single scope reach a resource of another tenant", async () => {
  const user = owner.identity.user;
  const leaks: unknown[] = [];
  let requests = 0;
  for (const scope of userScopes.filter((_, index) => isFullRun || index % 8 === 0)) {
    const selected = userRoutes.filter((route) => scopeOf(route) === scope);
    const key = await createKeyClient(stranger, { scopes: [scope, "users.act_as"] });
    const { body: token } = await key.post("/v1/tokens", toExchange(user, scope));
    for (const client of [key, key.onBehalfOf(user), new KeyClient(stranger, key.keyId, token.access_token)]) {
      leaks.push(...(await findLeaks(client, selected)));
      requests += 2 * selected.length;
    }
  }
  console.log(`${requests} requests of keys and tokens with a single scope`);
  expect(leaks).toEqual([]);
  expect(requests).toBeGreaterThan(50);
});

it("isolation of tenants lets no API key or access token reach a resource of another tenant", async () => {
  const leaks: unknown[] = [];
  for (const client of programs) {
    // Only a full run calls all routes with each credential.
    const isSampled = !isFullRun && client !== programs[0];
    const selected = userRoutes.filter((_, index) => !isSampled || index % 4 === 0);
    leaks.push(...(await findLeaks(client, selected)));
    for (const route of listRoutes) {
      const { status, text } = await client.get(route.path + (route.path.endsWith("/search") ? "?q=secret" : ""));
      const isLeaked = [...Object.values(ownerIds), "secret harbour", owner.identity.tenant].some((each) =>
        text.includes(each),
      );
      if (status !== 200 || isLeaked) leaks.push([route.id, status]);
    }
  }
  expect(leaks).toEqual([]);
});

it("isolation of tenants leaves a tenant's resources unchanged by all requests with another tenant's credentials", async () => {
  expect(await findChanged(owner, ownerIds)).toEqual([]);
});
