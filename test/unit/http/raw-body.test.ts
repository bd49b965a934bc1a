import { expect, it } from "vitest";
import { MAX_BODY_BYTES } from "#shared/api/limits.ts";
import { requireBody } from "#shared/http/steps.ts";

it.each([
  ["text", (bytes: number) => "x".repeat(bytes), false],
  ["text with two-byte characters", (bytes: number) => "é".repeat(bytes / 2) + "x".repeat(bytes % 2), false],
  ["base64", (bytes: number) => Buffer.alloc(bytes).toString("base64"), true],
])("body of an HTTP request is accepted up to a size of 1 MiB when it is sent as %s", (_, body, isBase64) => {
  for (const bytes of [MAX_BODY_BYTES - 2, MAX_BODY_BYTES - 1, MAX_BODY_BYTES]) requireBody(body(bytes), isBase64);
  expect(() => requireBody(body(MAX_BODY_BYTES + 1), isBase64)).toThrow(/1 MiB/);
});
