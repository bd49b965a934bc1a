import { env } from "../lib/env.ts";
import { log } from "../lib/log.ts";

/** How long a look at the provider may take, in milliseconds. */
const patience = 2_000;

/** Whether the configured model's provider can be reached; costs no tokens. */
export async function modelIsReachable(): Promise<boolean> {
  const { MODEL_PROVIDER, MODEL_BASE_URL } = env("MODEL_PROVIDER", "MODEL_BASE_URL");
  if (MODEL_PROVIDER !== "openai-compatible") return true;
  try {
    // Any answer will do, a 401 included: it is the way there that is checked.
    const response = await fetch(`${MODEL_BASE_URL.replace(/\/$/, "")}/models`, {
      signal: AbortSignal.timeout(patience),
    });
    await response.body?.cancel();
    return response.status < 500;
  } catch (error) {
    log.error("model provider unreachable", { error });
    return false;
  }
}
