import { log } from "../lib/log.ts";
import { requestProvider } from "../lib/outgoing/post-to-provider.ts";
import { listProviders, type Provider } from "./model-table.ts";

const REQUEST_TIMEOUT_MS = 2_000;

async function isReachable({ type, baseUrl }: Provider): Promise<boolean> {
  if (type !== "openai-compatible") return true;
  try {
    // Any response below 500, even 401, proves that the provider can be reached.
    const response = await requestProvider(
      new URL(`${baseUrl.replace(/\/$/, "")}/models`),
      { method: "GET", headers: {} },
      AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    );
    response.body.destroy();
    return response.status < 500;
  } catch (error) {
    log.error("model provider unreachable", { error });
    return false;
  }
}

/** Returns true if all configured providers can be reached. The check uses no tokens. */
export async function isModelReachable(): Promise<boolean> {
  return (await Promise.all(listProviders().map(isReachable))).every(Boolean);
}
