import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";

const httpAgent = new Agent({ keepAlive: true });
const httpsAgent = new HttpsAgent({ keepAlive: true });

/** Address and credential of an OpenAI-compatible provider. */
export interface Provider {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * Posts JSON to a provider and resolves when the response headers arrive. `node:http` costs less CPU per chunk than
 * `fetch`.
 * @param path path below the base URL, with a leading slash
 * @throws Error of the connection; the reason of `signal` once it is aborted
 */
export function postJson(
  { baseUrl, apiKey }: Provider,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(baseUrl.replace(/\/+$/, "") + path);
  const isSecure = url.protocol === "https:";
  const payload = Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)(
      url,
      {
        method: "POST",
        agent: isSecure ? httpsAgent : httpAgent,
        signal,
        headers: {
          "content-type": "application/json",
          "content-length": payload.length,
          accept: "application/json, text/event-stream",
          ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        },
      },
      resolve,
    );
    request.once("error", (error) => reject(signal.aborted ? signal.reason : error));
    request.end(payload);
  });
}

/** Maximum size of a response; a larger one is aborted. */
const MAX_RESPONSE_BYTES = 32 * 1_048_576;

/**
 * Reads a response to its end as UTF-8 text. For a small response, `for await` takes several times the CPU time of events.
 * @throws Error if it is cut off or too large
 */
export function readText(response: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_RESPONSE_BYTES) response.destroy(new Error("The response is too large"));
      else chunks.push(chunk);
    });
    response.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    response.once("error", reject);
  });
}
