import { expect, it } from "vitest";
import { Client, readResponse } from "#test/support/client.ts";
import { startSwitchboard } from "#test/support/switchboard.ts";

/** Expects the deprecation headers that every response under `/v1/projects` has. */
function expectDeprecationHeaders(headers: Headers, successor: string): void {
  const [, seconds] = /^@(\d+)$/.exec(headers.get("deprecation") ?? "") ?? [];
  const sunset = Date.parse(headers.get("sunset") ?? "");
  expect(headers.get("sunset")).toBe(new Date(sunset).toUTCString());
  expect(sunset).toBeGreaterThanOrEqual(Number(seconds) * 1_000);
  expect(Number(seconds) * 1_000).toBeLessThan(Date.now());
  expect(headers.get("link")).toBe(`<${successor}>; rel="successor-version"`);
}

it.each([
  ["GET", "/v1/projects", 301],
  ["HEAD", "/v1/projects", 301],
  ["GET", "/v1/projects/abc", 301],
  ["HEAD", "/v1/projects/abc", 301],
  ["GET", "/v1/projects/a%20b/c", 301],
  ["POST", "/v1/projects", 308],
  ["PATCH", "/v1/projects/abc", 308],
  ["PUT", "/v1/projects/abc", 308],
  ["DELETE", "/v1/projects/abc/below", 308],
])("deprecated path /v1/projects redirects %s %s to the same path below /v1/folders", async (method, path, status) => {
  const client = new Client();
  for (const headers of [client.headers, { "x-user-id": " " }]) {
    const response = await fetch(`${client.baseUrl}${path}?limit=2&q=a%26b`, { method, headers, redirect: "manual" });
    const successor = path.replace("projects", "folders");
    expect([response.status, response.headers.get("location")]).toEqual([status, `${successor}?limit=2&q=a%26b`]);
    expectDeprecationHeaders(response.headers, successor);
    expect(response.headers.get("x-ratelimit-limit")).toMatch(/^\d+$/);
    expect(await response.text()).toBe("");
  }
});

it("deprecated path /v1/projects serves the data of /v1/folders to a client that follows redirects", async () => {
  const client = new Client();
  const createdResponse = await readResponse(
    await client.fetch("/v1/projects", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Old and new" }),
      redirect: "follow",
    }),
  );
  expect([createdResponse.status, createdResponse.body.name]).toEqual([201, "Old and new"]);
  const follow = async (path: string, method = "GET", body?: string) =>
    readResponse(
      await client.fetch(path, {
        method,
        redirect: "follow",
        ...(body && { body, headers: { "content-type": "application/json" } }),
      }),
    );
  expect((await follow("/v1/projects?limit=1")).body).toEqual((await client.get("/v1/folders?limit=1")).body);
  expect((await follow(`/v1/projects/${createdResponse.body.id}`)).body).toEqual(createdResponse.body);
  expect((await follow(`/v1/projects/${createdResponse.body.id}`, "PATCH", '{"name":"New"}')).body.name).toBe("New");
  expect((await follow(`/v1/projects/${createdResponse.body.id}`, "DELETE")).status).toBe(204);
  expect((await client.get("/v1/folders")).body.folders).toEqual([]);
});

it("deprecated path /v1/projects never redirects to a location outside /v1/folders", async () => {
  const client = new Client();
  for (const path of [
    "/v1/projects//evil.example",
    "/v1/projects/%0d%0aset-cookie:x",
    "/v1/projects/https:%2F%2Fevil",
  ]) {
    const response = await client.fetch(path);
    expect(response.status).toBe(301);
    expect(response.headers.get("location")).toMatch(/^\/v1\/folders\/[^\s]*$/);
    expect(response.headers.get("set-cookie")).toBeNull();
  }
});

it("deprecated path /v1/projects sends deprecation headers also with responses to rate-limited requests", async () => {
  const service = await startSwitchboard({ env: { RATE_LIMIT_OPEN: "1" } });
  try {
    const statuses = new Set<number>();
    for (let n = 0; n < 4; n++) {
      const response = await fetch(`${service.baseUrl}/v1/projects`, { redirect: "manual" });
      statuses.add(response.status);
      expectDeprecationHeaders(response.headers, "/v1/folders");
    }
    expect(statuses).toContain(429);
  } finally {
    await service.stop();
  }
});

it.each([
  ["POST", "/v1/chat/stream", "/v1/runtime/chat"],
  ["GET", "/v1/assistants", "/v1/personas"],
  ["POST", "/v1/assistants/abc/runs", "/v1/personas"],
  ["DELETE", "/v1/assistants/abc", "/v1/personas"],
  ["POST", "/v1/completions", "/openai/v1/chat/completions"],
])("removed endpoint %s %s returns 410 and names the endpoint that replaces it", async (method, path, successor) => {
  const response = await readResponse(await fetch(`${new Client().baseUrl}${path}`, { method }));
  expect([response.status, response.body.code]).toEqual([410, "gone"]);
  expect(response.body.detail).toContain(successor);
  expect(response.headers.get("link")).toBe(`<${successor}>; rel="successor-version"`);
});
