import { expect, it } from "vitest";
import { maxBodyBytes, requireBody } from "#shared/http/steps.ts";

it.each([
  ["text", (bytes: number) => "x".repeat(bytes), false],
  ["text with two-byte characters", (bytes: number) => "é".repeat(bytes / 2) + "x".repeat(bytes % 2), false],
  ["base64", (bytes: number) => Buffer.alloc(bytes).toString("base64"), true],
])("body of an HTTP request is accepted up to a size of 1 MiB when it is sent as %s", (_, body, isBase64) => {
  for (const bytes of [maxBodyBytes - 2, maxBodyBytes - 1, maxBodyBytes]) requireBody(body(bytes), isBase64);
  expect(() => requireBody(body(maxBodyBytes + 1), isBase64)).toThrow(/1 MiB/);
});
