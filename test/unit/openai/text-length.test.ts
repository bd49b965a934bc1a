import { afterEach, expect, it, vi } from "vitest";
import { requireTextLength } from "#shared/openai/content-parts.ts";

afterEach(() => vi.unstubAllEnvs());

it.each([1, 3])("texts of a request may have %d MiB in all, as OPENAI_TEXT_MIB says", (mib) => {
  vi.stubEnv("OPENAI_TEXT_MIB", String(mib));
  const half = { role: "user" as const, content: "x".repeat((mib * 1_048_576) / 2) };
  expect(() => requireTextLength([half, half])).not.toThrow();
  const more = { role: "assistant" as const, content: [{ type: "text" as const, text: "x" }] };
  expect(() => requireTextLength([half, half, more])).toThrow(`exceeds the limit of ${mib} MiB`);
});
