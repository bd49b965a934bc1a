import { env } from "../lib/env.ts";
import { log } from "../lib/log.ts";

const REQUEST_TIMEOUT_MS = 2_000;

/** Returns true if the configured provider can be reached; uses no tokens. */
export async function isModelReachable(): Promise<boolean> {
  const { MODEL_PROVIDER, MODEL_BASE_URL } = env("MODEL_PROVIDER", "MODEL_BASE_URL");
  if (MODEL_PROVIDER !== "openai-compatible") return true;
  try {
    // Any response below 500, even 401, proves that the provider can be reached.
    const response = await fetch(`${MODEL_BASE_URL.replace(/\/$/, "")}/models`, {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status < 500;
  } catch (error) {
    log.error("model provider unreachable", { error });
    return false;
  }
}
