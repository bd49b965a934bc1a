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

// There is no table, so rate limits fail open and log an error.
beforeAll(() => {
  setFunctionEnvironment({ TABLE_NAME: "none", AWS_ACCESS_KEY_ID: "" });
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
});

afterAll(() => {
  vi.restoreAllMocks();
});

it.each(["content-type", "Content-Type", "Content-type", "CONTENT-TYPE"])(
  "endpoint() accepts a JSON body when the content type header is spelled %s",
  async (name) => {
    const event = restEvent({ path: "/v1/things", body: '{"name":"x"}' });
    const context = { getRemainingTimeInMillis: () => 29_000 };
    const respond = (type: string) => handler({ ...event, headers: { [name]: type } }, context);
    expect(await respond("application/json")).toMatchObject({ statusCode: 200, body: '{"name":"x"}' });
    expect(await respond("text/plain")).toMatchObject({ statusCode: 415 });
  },
);
