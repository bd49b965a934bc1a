import { randomUUID } from "node:crypto";
import type { Client } from "../client.ts";
import { startOidcServer } from "../tenancy/oidc-server.ts";
import type { CallTwice } from "./call-twice.ts";

const patch = (path: string, value: unknown) => ({ Operations: [{ op: "replace", path, value }] });

/** Calls each operation of SCIM, invitations and identity providers twice. */
export async function callPeopleOperations(client: Client, twice: CallTwice): Promise<void> {
  const [users, groups] = ["/scim/v2/Users", "/scim/v2/Groups"];
  await twice("listPeople", () => client.get("/v1/tenant/people"));
  const user = (turn: 0 | 1) => `${users}/ann-${turn}`;
  await twice("createScimUser", (turn) => client.post(users, { userName: `ann-${turn}`, active: true }));
  await twice("listScimUsers", () => client.get(`${users}?filter=userName%20eq%20%22ann-0%22`));
  await twice("getScimUser", (turn) => client.get(user(turn)));
  await twice("replaceScimUser", (turn) => client.put(user(turn), { userName: `ann-${turn}`, title: "VP" }));
  await twice("updateScimUser", (turn) => client.patch(user(turn), patch("active", false)));
  const created = await twice("createScimGroup", () => client.post(groups, { displayName: `Team ${randomUUID()}` }));
  const group = (turn: 0 | 1) => `${groups}/${created[turn].id}`;
  await twice("listScimGroups", () => client.get(`${groups}?filter=displayName%20eq%20%22Team%22`));
  await twice("getScimGroup", (turn) => client.get(group(turn)));
  await twice("replaceScimGroup", (turn) => client.put(group(turn), { displayName: `Team ${randomUUID()}` }));
  await twice("updateScimGroup", (turn) => client.patch(group(turn), patch("members", [{ value: `ann-${turn}` }])));
  await twice("deleteScimGroup", (turn) => client.delete(group(turn)));
  await twice("deleteScimUser", (turn) => client.delete(user(turn)));
  await twice("getScimMetadata", () => client.get("/scim/v2/ServiceProviderConfig"));

  const provider = await startOidcServer("operations");
  const issuers = await twice("createIssuer", () =>
    client.post("/v1/tenant/issuers", { issuer: provider.issuer, audience: randomUUID() }),
  );
  await twice("listIssuers", () => client.get("/v1/tenant/issuers"));
  await twice("deleteIssuer", (turn) => client.delete(`/v1/tenant/issuers/${issuers[turn].id}`));
  provider.stop();

  const invitations = await twice("createInvitation", () => client.post("/v1/tenant/invitations", {}));
  const tokenOf = (turn: 0 | 1) => String(invitations[turn].url).split("#invitation=")[1];
  await twice("listInvitations", () => client.get("/v1/tenant/invitations"));
  await twice("acceptInvitation", (turn) => client.post("/v1/invitations/accept", { token: tokenOf(turn) }));
  await twice("revokeInvitation", (turn) => client.delete(`/v1/tenant/invitations/${invitations[turn].id}`));
}
