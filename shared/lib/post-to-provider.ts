import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** Provider of a service that is reached by JSON over HTTP with a bearer token. */
export interface HttpProvider {
  /** Address that paths are appended to. */
  readonly baseUrl: string;
  /** Empty if the provider needs none. */
  readonly apiKey: string;
}

/** Response of a provider. */
export interface ProviderResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a JSON body to a provider and returns its response with any status.
 * @param timeoutMs time for the whole response
 */
export function postToProvider(
  { baseUrl, apiKey }: HttpProvider,
  path: string,
  body: object,
  timeoutMs: number,
): Promise<ProviderResponse> {
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}${path}`);
  const payload = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(payload),
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
  };
  return new Promise((resolve, reject) => {
    const open = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = open(url, { method: "POST", headers, signal: AbortSignal.timeout(timeoutMs) });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(payload);
  });
}
