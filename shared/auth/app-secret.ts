import * as v from "valibot";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { loadSecretVersion, MAX_SECRET_AGE_MS } from "../lib/secrets.ts";
import type { AppSecrets } from "./accepted-secrets.ts";

/** Value of the secret after a rotation. Before the first one, the value is the current secret itself. */
const RotatedSecret = v.object({
  current: v.pipe(v.string(), v.nonEmpty()),
  previous: v.optional(v.string(), ""),
  /** Secrets before the previous one, newest first. */
  older: v.optional(v.array(v.string()), []),
});

/**
 * Time for which a new secret only verifies. Until then, every running function has read it, so that each of them accepts what
 * another one has signed.
 */
const ACTIVATION_DELAY_MS = 2 * MAX_SECRET_AGE_MS;

function parseSecret(value: string): v.InferOutput<typeof RotatedSecret> {
  return value.startsWith("{")
    ? v.parse(RotatedSecret, JSON.parse(value))
    : { current: value, previous: "", older: [] };
}

/**
 * Returns the secrets of the deployment, at most five minutes old.
 * @throws Error if they cannot be read
 */
export async function loadAppSecrets(): Promise<AppSecrets> {
  const { value, createdAtMs } = await loadSecretVersion(env("APP_SECRET").APP_SECRET);
  const { current, previous, older } = parseSecret(value);
  const isActive = now() - createdAtMs >= ACTIVATION_DELAY_MS;
  const recent = [current, previous].filter((secret) => secret !== "");
  return { current: isActive ? current : previous || current, recent, all: [...recent, ...older] };
}

// Starts the read while the function initializes. If it fails, the first request repeats it.
loadAppSecrets().catch(() => {});
