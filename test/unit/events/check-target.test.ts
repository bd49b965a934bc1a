import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openHeaders, sealTarget } from "#shared/events/check-target.ts";
import type { StoredEventEndpoint } from "#shared/events/endpoint-store.ts";

beforeEach(() => {
  vi.stubEnv("APP_SECRET", "an-app-secret-of-32-characters-xx");
});
afterEach(() => vi.unstubAllEnvs());

it("event endpoint for a collector keeps its headers for the same site, and loses them when its URL moves to another site", async () => {
  const collector = { id: "e1", url: "https://otlp.example/v1", format: "otlp", types: ["run.failed"] } as const;
  const { sealed_headers } = await sealTarget(collector, "Api-Key=s%2C1,x-a=b=c");
  const stored = { ...collector, sealed_headers } as unknown as StoredEventEndpoint;
  expect(sealed_headers).not.toContain("s,1");
  expect(await openHeaders(stored)).toEqual({ "api-key": "s,1", "x-a": "b=c" });
  const moved = { ...collector, url: "https://attacker.example/" };
  expect((await sealTarget(collector, undefined, stored)).sealed_headers).toBe(sealed_headers);
  expect((await sealTarget(moved, undefined, stored)).sealed_headers).toBeNull();
  expect((await sealTarget(collector, null, stored)).sealed_headers).toBeNull();
  await expect(openHeaders({ ...stored, url: moved.url })).rejects.toThrow("cannot be decrypted");
});

it("event endpoint for a collector is refused with headers of the connection and with event types that have no trace", async () => {
  const collector = { id: "e1", url: "https://otlp.example", format: "otlp" } as const;
  const types = ["run.completed", "alert.received"] as const;
  const other = sealTarget({ ...collector, types }, undefined);
  await expect(other).rejects.toMatchObject({ code: "validation_failed" });
  const reserved = sealTarget({ ...collector, types: ["run.failed"] }, "a=b, Host=c");
  await expect(reserved).rejects.toMatchObject({ code: "validation_failed" });
});
