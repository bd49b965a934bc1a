import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { loadSecretVersion } from "../lib/secrets.ts";
import { ACTIVATION_DELAY_MS, type AppSecrets, parseRotatedSecret } from "./accepted-secrets.ts";

/**
 * Returns the secrets of the deployment, at most five minutes old.
 * @throws Error if they cannot be read
 */
export async function loadAppSecrets(): Promise<AppSecrets> {
  const { value, createdAtMs } = await loadSecretVersion(env("APP_SECRET").APP_SECRET);
  const { current, previous, older = [] } = parseRotatedSecret(value);
  const isActive = now() - createdAtMs >= ACTIVATION_DELAY_MS;
  const recent = [current, previous].filter((secret) => secret !== "");
  return { current: isActive ? current : previous || current, recent, all: [...recent, ...older] };
}

// Starts the read while the function initializes. If it fails, the first request repeats it.
loadAppSecrets().catch(() => {});
