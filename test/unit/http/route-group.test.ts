import * as v from "valibot";
import { expect, expectTypeOf, it } from "vitest";
import { pathOf, routeGroup } from "#shared/api/define-route.ts";
import { IdParams } from "#shared/api/fields.ts";

const route = routeGroup({ group: "notes", auth: "jwt", capability: "message.read", replies: { 200: v.string() } });
const texts = { id: "changeNote", summary: "Changes a note." };

it("routeGroup() gives each route its method, its path and the common fields, which a route can replace", () => {
  const first = route("PATCH /v1/notes", texts);
  expect(first).toMatchObject({
    method: "PATCH",
    path: "/v1/notes",
    group: "notes",
    capability: "message.read",
    ...texts,
  });
  expect(route("PATCH /v1/notes", { ...texts, auth: "none" })).toMatchObject({ group: "notes", auth: "none" });
  expectTypeOf(first.path).toEqualTypeOf<"/v1/notes">();
});

it("routeGroup() makes `{id}` a UUIDv7 only when it is the only parameter of the path", () => {
  expect(route("GET /v1/notes/{id}", texts)).toMatchObject({ params: IdParams });
  expect(route("GET /v1/notes/{id}/lines/{line}", texts)).not.toHaveProperty("params");
  expect(route("GET /v1/notes/{slug}", texts)).not.toHaveProperty("params");
  const params = v.object({ id: v.string() });
  expect(route("GET /v1/notes/{id}", { ...texts, params }).params).toBe(params);
});

it("routeGroup() gives a deletion a reply without a body, unless the route has other replies", () => {
  const plain = routeGroup({ group: "notes", auth: "jwt" });
  expect(plain("DELETE /v1/notes/{id}", texts).replies).toEqual({ 204: null });
  expect(plain("DELETE /v1/notes/{id}", { ...texts, replies: { 202: null } }).replies).toEqual({ 202: null });
});

it("pathOf() percent-encodes the parameters of a path", () => {
  expect(pathOf({ path: "/v1/notes/{id}" }, { id: "a/b" })).toBe("/v1/notes/a%2Fb");
});
