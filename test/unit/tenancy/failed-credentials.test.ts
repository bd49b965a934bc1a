import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ServiceError } from "#shared/lib/errors.ts";
import { verifyLimited } from "#shared/tenancy/failed-credentials.ts";

beforeEach(() => {
  vi.stubEnv("RATE_LIMIT_FAILED", "3");
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const reject = async () => {
  throw new ServiceError("unauthorized");
};
const accept = async () => "principal";
const codeOf = (work: Promise<unknown>) => work.then(String, (error: ServiceError) => error.code);

it("verifyLimited() rejects a client address over the limit of failed attempts until the next minute", async () => {
  for (let n = 0; n < 3; n++)
    expect(await codeOf(verifyLimited("a", reject, { readsTable: true }))).toBe("unauthorized");
  expect(await codeOf(verifyLimited("a", reject, { readsTable: true }))).toBe("rate_limited");
  expect(await codeOf(verifyLimited("b", accept, { readsTable: true }))).toBe("principal");
  vi.advanceTimersByTime(60_000);
  expect(await codeOf(verifyLimited("a", accept, { readsTable: true }))).toBe("principal");
});

it("verifyLimited() reads the table for an address over the limit until it has ten times as many failures", async () => {
  let verifications = 0;
  const count = (outcome: () => Promise<string>) => () => {
    verifications++;
    return outcome();
  };
  for (let n = 0; n < 29; n++) await codeOf(verifyLimited("f", count(reject), { readsTable: true }));
  expect(await codeOf(verifyLimited("f", count(accept), { readsTable: true }))).toBe("principal");
  for (let n = 0; n < 20; n++) await codeOf(verifyLimited("f", count(reject), { readsTable: true }));
  expect(verifications).toBe(31);
  expect(await codeOf(verifyLimited("f", count(accept), { readsTable: true }))).toBe("rate_limited");
});

it("verifyLimited() accepts a valid credential from a rate-limited address if its check reads no table", async () => {
  const outcomes: string[] = [];
  for (let n = 0; n < 5; n++) outcomes.push(await codeOf(verifyLimited("c", reject, { readsTable: false })));
  expect(outcomes).toEqual(["unauthorized", "unauthorized", "unauthorized", "rate_limited", "rate_limited"]);
  expect(await codeOf(verifyLimited("c", accept, { readsTable: false }))).toBe("principal");
});

it("verifyLimited() accepts a previously valid key from a rate-limited address until a check finds the key invalid", async () => {
  const embedKey = { "x-embed-key": "public" };
  const send = (headers: Record<string, string>, verify: () => Promise<string>) =>
    codeOf(verifyLimited("e", verify, { readsTable: true, headers }));
  expect(await send({ authorization: "valid" }, accept)).toBe("principal");
  expect(await send(embedKey, accept)).toBe("principal");
  for (let n = 0; n < 30; n++)
    expect(await send({ authorization: `random ${n}` }, reject)).toBe(n < 3 ? "unauthorized" : "rate_limited");
  expect(await send({ authorization: "valid" }, accept)).toBe("principal");
  expect(await send({ authorization: "random", ...embedKey }, accept)).toBe("rate_limited");
  expect(await send({ authorization: "valid" }, reject)).toBe("rate_limited");
  expect(await send({ authorization: "valid" }, accept)).toBe("rate_limited");
});

it("verifyLimited() counts failures of a channel that had a valid delivery apart from other failures of the same address", async () => {
  const send = (channelId: string, verify: () => Promise<string>) =>
    codeOf(verifyLimited("g", verify, { readsTable: true, channelId }));
  expect(await send("known", accept)).toBe("principal");
  for (let n = 0; n < 30; n++) await send(`random ${n}`, reject);
  expect(await send("new", accept)).toBe("rate_limited");
  expect(await send("known", accept)).toBe("principal");
  for (let n = 0; n < 30; n++) await send("known", reject);
  expect(await send("known", accept)).toBe("rate_limited");
});

it("verifyLimited() does not count a failed attempt when verification is unavailable", async () => {
  const fail = async () => {
    throw new ServiceError("unavailable");
  };
  for (let n = 0; n < 10; n++) expect(await codeOf(verifyLimited("d", fail, { readsTable: true }))).toBe("unavailable");
});
