import { expect, it } from "vitest";
import { findUndeclaredHeaders } from "#test/support/declared-headers.ts";

const response = (status: number, headers: Record<string, string>) => new Response(null, { status, headers });

it("OpenAPI document declares the response headers of versioned resources, files, completions and errors", () => {
  const cases = [
    ["GET", "/v1/policy", response(200, { etag: '"1"' })],
    ["PUT", "/v1/policy", response(200, { ETag: '"2"' })],
    ["POST", "/v1/exports", response(202, { location: "/v1/exports/e-1" })],
    ["GET", "/v1/downloads/token", response(200, { "content-disposition": "attachment" })],
    [
      "POST",
      "/openai/v1/chat/completions",
      response(200, { "x-completion-id": "c", "x-ratelimit-limit-requests": "9" }),
    ],
    ["POST", "/openai/v1/chat/completions", response(429, { "retry-after": "1", "retry-after-ms": "1000" })],
    ["GET", "/v1/policy", response(401, { "www-authenticate": "Bearer", "x-should-retry": "false" })],
    [
      "GET",
      "/v1/projects",
      response(308, { deprecation: "@1", sunset: "later", link: "</v1/folders>", location: "/" }),
    ],
    ["GET", "/v1/shared/token", response(410, { "x-robots-tag": "noindex" })],
  ] as const;
  for (const [method, path, each] of cases) {
    expect([path, findUndeclaredHeaders(method, path, each)]).toEqual([path, []]);
  }
});

it("comparison of responses with the OpenAPI document reports a header that it does not declare", () => {
  expect(findUndeclaredHeaders("GET", "/v1/policy?x=1", response(200, { "x-new": "1", etag: "1" }))).toEqual(["x-new"]);
  expect(findUndeclaredHeaders("GET", "/v1/conversations/c-1", response(200, { etag: "1" }))).toEqual(["etag"]);
});
