import { afterEach, expect, it, vi } from "vitest";
import { verifyDeploymentKey } from "#shared/auth/verify-deployment-key.ts";

const [current, previous, older] = ["c".repeat(64), "p".repeat(64), "o".repeat(64)];

/** Verifies a key against a value of the secret; null if it is rejected. */
async function verify(value: string, authorization?: string) {
  vi.stubEnv("DEPLOYMENT_KEY", value);
  return verifyDeploymentKey(authorization === undefined ? {} : { authorization }).catch(({ code }) => code);
}

afterEach(() => void vi.unstubAllEnvs());

it("deployment key is accepted if it is the current or previous value of the secret", async () => {
  const value = JSON.stringify({ current, previous, older: [older] });
  const principal = { kind: "deployment", tenantId: "~deployment" };
  expect(await verify(value, `Bearer ${current}`)).toMatchObject(principal);
  expect(await verify(value, `Bearer ${previous}`)).toMatchObject(principal);
  expect(await verify(value, `Bearer ${older}`)).toBe("unauthorized");
  expect(await verify(value, `Bearer ${current}x`)).toBe("unauthorized");
  expect(await verify(value, current)).toBe("unauthorized");
  expect(await verify(value)).toBe("unauthorized");
});

it("empty deployment key is rejected although the stored previous value is empty before the first rotation", async () => {
  const value = JSON.stringify({ current, previous: "" });
  for (const authorization of ["Bearer ", "Bearer", ""])
    expect(await verify(value, authorization)).toBe("unauthorized");
  expect(await verify(value, `Bearer ${current}`)).toMatchObject({ kind: "deployment" });
});

it("deployment key is the whole value if the secret was stored by hand", async () => {
  expect(await verify(current, `Bearer ${current}`)).toMatchObject({ kind: "deployment" });
});
