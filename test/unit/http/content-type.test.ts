import * as v from "valibot";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { defineRoute } from "#shared/api/define-route.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { restEvent, setFunctionEnvironment } from "#test/support/handler-events.ts";

const route = defineRoute({
  id: "createThing",
  group: "things",
  method: "POST",
  path: "/v1/things",
  auth: "none",
  body: v.strictObject({ name: v.string() }),
  replies: { 200: v.object({ name: v.string() }) },
  summary: "Create a thing",
});
const handler = endpoint(route, async ({ body }) => body) as (event: unknown, context: unknown) => Promise<unknown>;

// No table is there to count in, nor a way to one: limits let everybody in, and say so.
beforeAll(() => {
  setFunctionEnvironment({ TABLE_NAME: "none", AWS_ACCESS_KEY_ID: "" });
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
});

afterAll(() => {
  vi.restoreAllMocks();
});

it.each(["content-type", "Content-Type", "Content-type", "CONTENT-TYPE"])(
  "a body is JSON by its header, spelled %s",
  async (name) => {
    const event = restEvent({ path: "/v1/things", body: '{"name":"x"}' });
    const context = { getRemainingTimeInMillis: () => 29_000 };
    const answered = (type: string) => handler({ ...event, headers: { [name]: type } }, context);
    expect(await answered("application/json")).toMatchObject({ statusCode: 200, body: '{"name":"x"}' });
    expect(await answered("text/plain")).toMatchObject({ statusCode: 415 });
  },
);
