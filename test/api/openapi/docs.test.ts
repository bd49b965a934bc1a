import { expect, it } from "vitest";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { Client } from "#test/support/client.ts";

const client = new Client();
const browserHeaders = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

it("API documentation serves the OpenAPI document and the reference with each of its paths", async () => {
  const { status, body, headers } = await client.get("/v1/openapi.json");
  expect([status, body.openapi]).toEqual([200, "3.1.1"]);
  expect(headers.get("x-ratelimit-limit")).toBeTruthy();
  const page = await client.get("/docs", browserHeaders);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const paths = Object.keys(body.paths);
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !page.text.includes(`>${path}<`))).toEqual([]);
  const program = /<script[^>]* src="([^"]+)"/.exec(page.text)?.[1] ?? "";
  expect((await client.get(program, { accept: "*/*" })).status).toBe(200);
});

it("API documentation serves the guides and the list of problem types, and returns 404 for unknown pages", async () => {
  const guide = await client.get("/docs/guides/first-chat", browserHeaders);
  expect([guide.status, guide.text.includes('<h2 id="send-a-message">')]).toEqual([200, true]);
  const problems = await client.get("/docs/problems", browserHeaders);
  for (const code of Object.keys(problemCodes)) expect(problems.text).toContain(`<code>${code}</code>`);
  expect((await client.get("/docs/guides/no-such-guide", browserHeaders)).status).toBe(404);
});

it("API documentation serves a page for every problem type", async () => {
  const { body } = await client.get("/v1/conversations/nope");
  expect(body.type).toBe("/problems/not-found");
  for (const code of Object.keys(problemCodes)) {
    const page = await client.get(`/problems/${code.replaceAll("_", "-")}`, browserHeaders);
    expect([page.status, page.text.includes(`<code>${code}</code>`)], code).toEqual([200, true]);
  }
  const json = await client.get("/problems/rate-limited", { accept: "application/json" });
  expect(json.body).toMatchObject({ code: "rate_limited", status: 429 });
  expect((await client.get("/problems/no-such-thing")).status).toBe(404);
});

it("API documentation renders an error as HTML on routes for browsers and as problem JSON on other routes", async () => {
  const page = await client.get("/v1/shared/nothing-like-a-token", browserHeaders);
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect(page.text).toContain("<h1>");
  const problem = await client.get("/v1/shared/nothing-like-a-token");
  expect([problem.status, problem.body.code]).toEqual([404, "not_found"]);
  const api = await client.get("/v1/conversations/nope", browserHeaders);
  expect(api.body.code).toBe("not_found");
});
