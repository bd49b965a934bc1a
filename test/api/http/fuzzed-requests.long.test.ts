import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";
import { sized } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { Operator, readDeploymentKey } from "#test/support/tenancy/deployment-key.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";
import { type ResourceIds, seedTenant, toRequest } from "#test/support/tenant-resources.ts";
import openapi from "../../../openapi.json" with { type: "json" };

const REQUESTS = sized({ usual: 1_000, full: 6_000, soak: 60_000 });
/** Requests after which a new tenant is used, because requests delete what the tenant has. */
const REQUESTS_OF_A_TENANT = 500;

type Json = Record<string, unknown>;
type Random = () => number;

let service: Switchboard;
let foreign: ResourceIds;
beforeAll(async () => {
  const limits = ["API_KEY", "CHANNEL", "SHARED_LINK", "EMBED_SESSION", "HEALTH", "TENANT", "SCIM", "OPEN", "FAILED"];
  const env = Object.fromEntries(limits.map((name) => [`RATE_LIMIT_${name}`, "1000000"]));
  service = await startSwitchboard({ env: { ...env, EMBED_VISITOR_MESSAGES: "1000000" } });
  foreign = await seedTenant(new Client(newIdentity(), service.baseUrl), "forest");
});
afterAll(() => service?.stop());

const nested = (depth: number): unknown => JSON.parse(`${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`);

/** Texts that are empty, huge, or odd as an id, a name, a time or a number. */
const oddTexts = [
  ...["", " ", "\u0000", "\u3000", "\ud800", "\u202e\u2066", "é", "e\u0301", "İ", "山田", "👩‍💻", "\r\nX: y"],
  ...["x".repeat(300), "x".repeat(20_000), "字".repeat(1_025), "😀".repeat(600), "!".repeat(513), "a/".repeat(700)],
  ...["__proto__", "constructor", "toString", "null", "undefined", "NaN", "-0", "true", "[object Object]"],
  ...[
    "..",
    ".",
    "../../etc/passwd",
    "a#b",
    "t#user#x",
    "~visitor",
    "swk:",
    "!20",
    "!sha256:",
    "a b",
    "%",
    "%00",
    "%zz",
  ],
  ...["' OR 1=1 --", "<script>", "{{x}}", "#{7*7}", "(a+)+$", "*", "?", "&a=b", "=1+1"],
  ...[
    "00000000-0000-0000-0000-000000000000",
    "019AB7C2-0000-7000-8000-ABCDEFABCDEF",
    "019ab7c2-0000-7000-8000-00000000000",
  ],
  ...[
    "9999-12-31T23:59:59Z",
    "0000-00-00",
    "2026-02-30",
    "1970-01-01T00:00:00+99:99",
    "1e309",
    "9007199254740993",
    "-1",
  ],
  ...[
    "http://[::1",
    "javascript:alert(1)",
    "https://user:pw@example.com:99999/",
    "mailto:",
    "data:,x",
    "https://例え.テスト/",
  ],
];
const oddValues = [
  null,
  [],
  {},
  0,
  -1,
  1e308,
  -1e308,
  2 ** 53,
  0.1,
  true,
  [null],
  [[]],
  [""],
  { "": "" },
  nested(30),
  nested(300),
];

/** Path segments that are sent as they are. */
const rawSegments = [
  "%00",
  "%2F",
  "%2e%2e",
  "%ED%A0%80",
  "%C0%80",
  "%zz",
  "%",
  "+",
  "%20",
  "%F0%9F%98%80",
  "a;b=c",
  "~",
  "%5C",
];

/** Makes requests of an operation from its schema, with some values replaced by odd ones. */
class Fuzzer {
  readonly #next: Random;
  readonly #own: ResourceIds;

  constructor(next: Random, own: ResourceIds) {
    this.#next = next;
    this.#own = own;
  }

  chance = (share: number) => this.#next() < share;
  pick = <Value>(values: readonly Value[]) => values[Math.floor(this.#next() * values.length)] as Value;
  #id = () => this.pick(Object.values(this.chance(0.5) ? this.#own : foreign));
  text = () => (this.chance(0.4) ? this.#id() : this.pick(oddTexts));

  segment(): string {
    if (this.chance(0.15)) return this.pick(rawSegments);
    return encodeURIComponent(this.pick([this.text(), this.#id(), randomUUID()]).toWellFormed());
  }

  /** Returns a value for a schema, or an odd one. */
  value(schema: Json, depth = 0): unknown {
    if (this.chance(0.12)) return this.chance(0.5) ? this.text() : this.pick(oddValues);
    const reference = schema.$ref as string | undefined;
    if (reference) {
      const name = reference.split("/").at(-1) as string;
      return this.value((openapi.components.schemas as Record<string, Json>)[name] ?? {}, depth + 1);
    }
    const options = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
    if (options) return this.value(this.pick(options), depth);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return this.pick(schema.enum as unknown[]);
    if (schema.type === "string") return this.chance(0.6) ? this.#id() : this.text();
    if (schema.type === "integer" || schema.type === "number") {
      return this.pick([0, 1, 10, -1, Number(schema.minimum ?? 5), Number(schema.maximum ?? 5), 1e15]);
    }
    if (schema.type === "boolean") return this.chance(0.5);
    if (schema.type === "null" || depth > 6) return null;
    if (schema.type === "array") {
      const length = this.pick([0, 1, 1, 2, 60]);
      return Array.from({ length }, () => this.value((schema.items as Json) ?? {}, depth + 1));
    }
    const required = (schema.required ?? []) as string[];
    const entries = Object.entries((schema.properties ?? {}) as Record<string, Json>).filter(
      ([name]) => required.includes(name) || this.chance(0.4),
    );
    const fields = entries.map(([name, each]) => [name, this.value(each, depth + 1)] as const);
    return Object.fromEntries([...fields, ...(this.chance(0.03) ? [[this.text(), this.text()] as const] : [])]);
  }

  /** Returns the path with the tenant's ids, or with odd segments. */
  #segments(route: Route): string {
    const { path } = route;
    if (this.chance(0.5) && path.includes("{")) {
      try {
        return toRequest({ ...route, body: undefined } as Route, this.#own).path;
      } catch {
        // Operations of other credentials have no ids in the tables of tests.
      }
    }
    return path.replace(/\{\w+\+?\}/g, () => this.segment());
  }

  path(route: Route): string {
    const { method, path } = route;
    const filled = this.#segments(route);
    const operation = (openapi.paths as unknown as Record<string, Record<string, { parameters?: Json[] }>>)[path];
    const parameters = (operation?.[method.toLowerCase()]?.parameters ?? []).filter((each) => each.in === "query");
    const query = parameters
      .filter(() => this.chance(0.6))
      .map(({ name, schema }) => `${name}=${encodeURIComponent(String(this.value(schema as Json)).toWellFormed())}`);
    return query.length > 0 ? `${filled}?${query.join("&")}` : filled;
  }

  body({ method, path }: Route): string | undefined {
    const operation = (openapi.paths as unknown as Record<string, Record<string, Json>>)[path]?.[method.toLowerCase()];
    const content = (operation?.requestBody as { content?: Record<string, { schema?: Json }> } | undefined)?.content;
    const schema = Object.values(content ?? {})[0]?.schema;
    if (!schema) return this.chance(0.05) && method !== "GET" ? "{}" : undefined;
    if (this.chance(0.03)) return this.pick(["", "[]", "null", "1", '"x"', "{", "\u0000", "{}", '{"a":1e999}']);
    return JSON.stringify(this.value(schema)) ?? "null";
  }

  headers(): Record<string, string> {
    const names = [
      "idempotency-key",
      "if-match",
      "if-none-match",
      "last-event-id",
      "accept",
      "x-on-behalf-of",
      "x-request-id",
    ];
    const values = oddTexts.filter((text) => /^[\x20-\x7e]*$/.test(text) && text.length < 2_000);
    return Object.fromEntries(
      names
        .filter(() => this.chance(0.08))
        .map((name) => [name, this.pick([...values, "*", 'W/"1"', "0", "text/html"])]),
    );
  }
}

/** Returns the headers that authenticate the callers of a tenant, by kind of credential. */
async function newCallers(owner: Client): Promise<Record<string, readonly Record<string, string>[]>> {
  const key = await createKeyClient(owner, { preset: "administrator", scopes: ["users.act_as", "scim"] });
  const openai = await createKeyClient(owner, { scopes: ["chat.completions", "models.read"] });
  const site = await createSite(owner);
  return {
    jwt: [owner.headers, owner.headers, key.headers],
    "api-key": [openai.headers],
    "embed-key": [{ "x-embed-key": site.key.key, origin: site.origin }],
    "deployment-key": [new Operator(readDeploymentKey(service), service.baseUrl).headers],
  };
}

it(`${REQUESTS} requests with empty, huge, foreign and odd values cause no response with a status of 5xx`, {
  timeout: 3_600_000,
}, async () => {
  const failures: unknown[] = [];
  const statuses = new Map<number, number>();
  const next = seededRandom(sized({ usual: 11, full: 12, soak: Date.now() }));
  for (let sent = 0; sent < REQUESTS; sent += REQUESTS_OF_A_TENANT) {
    const owner = new Client(newIdentity(), service.baseUrl);
    const fuzzer = new Fuzzer(next, await seedTenant(owner, "harbour"));
    const callers = await newCallers(owner);
    const count = Math.min(REQUESTS_OF_A_TENANT, REQUESTS - sent);
    const requests = Array.from({ length: count }, (_, index) => {
      const route = routes[(sent + index) % routes.length] as Route;
      const body = route.method === "GET" ? undefined : fuzzer.body(route);
      const headers = { ...fuzzer.pick(callers[route.auth] ?? [{}]), ...fuzzer.headers() };
      return { route, path: fuzzer.path(route), headers, body };
    });
    await mapConcurrent(
      requests,
      async ({ route, path, headers, body }) => {
        const response = await fetch(service.baseUrl + path, {
          method: route.method,
          headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
          ...(body !== undefined && { body }),
          redirect: "manual",
          signal: AbortSignal.timeout(60_000),
        });
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status < 500) return response.body?.cancel();
        failures.push([
          response.status,
          route.id,
          path.slice(0, 300),
          headers,
          body?.slice(0, 600),
          await response.text(),
        ]);
      },
      6,
    );
  }
  // Requests that are all refused would test nothing.
  expect([...statuses].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0)).toBeGreaterThan(
    REQUESTS / 10,
  );
  expect(failures).toEqual([]);
});
