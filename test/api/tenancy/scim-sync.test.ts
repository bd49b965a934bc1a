import { describe, expect, it } from "vitest";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client } from "#test/support/client.ts";
import { sized } from "#test/support/run-size.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";

/** Number of people; only a full run has as many as a company. */
const PEOPLE = sized({ usual: 30, full: 200, soak: 1_000 });

/** Requests in progress at the same time. */
const CONCURRENCY = 4;

const operation = (op: string, path: string, value?: unknown) => ({ Operations: [{ op, path, value }] });

describe("SCIM synchronization of a company", () => {
  it("SCIM synchronization creates all people of a company and a group of them, changes them and removes them", async () => {
    const admin = new Client();
    const provider = await createKeyClient(admin, { scopes: ["scim"] });
    const ids = Array.from({ length: PEOPLE }, (_, index) => `00u${String(index).padStart(4, "0")}`);
    const seconds: Record<string, number> = {};
    const forEach = async (step: string, status: number, send: (id: string) => ReturnType<Client["get"]>) => {
      const startedAt = performance.now();
      const statuses = await mapConcurrent(ids, async (id) => (await send(id)).status, CONCURRENCY);
      seconds[step] = Math.round(performance.now() - startedAt) / 1_000;
      expect([step, statuses.filter((each) => each !== status)]).toEqual([step, []]);
    };
    const list = async (query: string) => (await provider.get(`/scim/v2/Users?${query}`)).body;
    const path = (id: string) => `/scim/v2/Users/${id}`;

    await forEach("find", 200, (id) => provider.get(`/scim/v2/Users?filter=userName%20eq%20%22${id}@example.com%22`));
    await forEach("create", 201, (id) =>
      provider.post("/scim/v2/Users", { userName: `${id}@example.com`, externalId: id, displayName: id }),
    );
    const members = ids.map((value) => ({ value }));
    const { body: group } = await provider.post("/scim/v2/Groups", { displayName: "Everyone" });
    for (let index = 0; index < PEOPLE; index += 100) {
      await provider.patch(
        `/scim/v2/Groups/${group.id}`,
        operation("Add", "members", members.slice(index, index + 100)),
      );
    }
    expect((await provider.get(`/scim/v2/Groups/${group.id}`)).body.members).toHaveLength(PEOPLE);
    const listed: string[] = [];
    for (let start = 1; start <= PEOPLE; start += 200) {
      const { Resources } = await list(`startIndex=${start}&count=200&attributes=userName`);
      listed.push(...Resources.map(({ id }: { id: string }) => id));
    }
    // The administrator is a user, too.
    expect(listed.filter((id) => id.startsWith("00u"))).toEqual(ids);
    await forEach("change", 200, (id) =>
      provider.patch(path(id), operation("Replace", "displayName", `${id} changed`)),
    );
    expect((await list("filter=displayName%20ew%20%22changed%22&count=0")).totalResults).toBe(PEOPLE);
    await forEach("deactivate", 200, (id) => provider.patch(path(id), operation("Replace", "active", "False")));
    expect((await list("filter=active%20eq%20false&count=0")).totalResults).toBe(PEOPLE);
    await provider.patch(`/scim/v2/Groups/${group.id}`, operation("Remove", "members"));
    await forEach("delete", 204, (id) => provider.delete(path(id)));
    expect((await list("count=0")).totalResults).toBe(1);
    console.log(`${PEOPLE} people, ${CONCURRENCY} requests at a time, in seconds: ${JSON.stringify(seconds)}`);
  });
});
