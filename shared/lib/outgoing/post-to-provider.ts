import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createUnzip } from "node:zlib";

const httpAgent = new Agent({ keepAlive: true });
const httpsAgent = new HttpsAgent({ keepAlive: true });

/** Address and key of a provider, such as one of models or embeddings, that takes JSON over HTTP with a bearer token. */
export interface HttpProvider {
  /** URL in front of the paths of the provider's API. */
  readonly baseUrl: string;
  /** Empty if the provider needs none. */
  readonly apiKey: string;
}

/** Response of a provider whose body was not read yet. */
export interface ProviderResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed body. */
  readonly body: Readable;
}

/** Returns the body of a response. Some proxies compress bodies although no request asks for it. */
function decompress(response: IncomingMessage): Readable {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (!/^(?:x-)?gzip$|^deflate$|^br$/.test(encoding)) return response;
  // A cut-off body yields what has arrived, as without compression; its reader finds that the end is missing.
  const decoder =
    encoding === "br"
      ? createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
      : createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
  return pipeline(response, decoder, () => {});
}

/**
 * Sends a request to a provider and resolves when the response headers arrive. Redirects are not followed. `node:http` costs
 * less CPU per chunk than `fetch`.
 * @throws Error of the connection; the reason of `signal` once it is aborted
 */
export function requestProvider(
  url: URL,
  options: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  signal: AbortSignal | undefined,
): Promise<ProviderResponse> {
  const isSecure = url.protocol === "https:";
  const payload = Buffer.from(options.body ?? "");
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)(
      url,
      {
        method: options.method,
        agent: isSecure ? httpsAgent : httpAgent,
        headers: { ...options.headers, ...(payload.length > 0 && { "content-length": payload.length }) },
      },
      (response) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: decompress(response) }),
    );
    request.once("error", (error) => reject(signal?.aborted ? signal.reason : error));
    // The option `signal` of `request` does the same with several listeners of streams.
    const abort = () => request.destroy(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    request.once("close", () => signal?.removeEventListener("abort", abort));
    request.end(payload);
  });
}

/**
 * Posts JSON to a provider and resolves when the response headers arrive.
 * @param path path below the base URL, with a leading slash
 * @throws Error of the connection; the reason of `signal` once it is aborted
 */
export function postJson(
  { baseUrl, apiKey }: HttpProvider,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
  };
  const url = new URL(baseUrl.replace(/(?<!\/)\/+$/, "") + path);
  return requestProvider(url, { method: "POST", headers, body: JSON.stringify(body) }, signal);
}

/** Maximum size of a response; a larger one is aborted. */
const MAX_RESPONSE_BYTES = 32 * 1_048_576;

/**
 * Reads a response to its end as UTF-8 text without a byte order mark. For a small response, `for await` takes several times
 * the CPU time of events.
 * @throws Error if it is cut off or too large
 */
export function readText({ body }: Pick<ProviderResponse, "body">): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    body.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_RESPONSE_BYTES) body.destroy(new Error("The response is too large"));
      else chunks.push(chunk);
    });
    body.once("end", () =>
      resolve(
        Buffer.concat(chunks)
          .toString("utf8")
          .replace(/^\uFEFF/, ""),
      ),
    );
    body.once("error", reject);
    body.once("close", () => reject(new Error("The response was cut off: socket closed")));
  });
}

/**
 * Sends a JSON body to a provider and returns its response with any status.
 * @param timeoutMs time for the whole response
 */
export async function postToProvider(
  provider: HttpProvider,
  path: string,
  body: object,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await postJson(provider, path, body, AbortSignal.timeout(timeoutMs));
  return { status: response.status, text: await readText(response) };
}
