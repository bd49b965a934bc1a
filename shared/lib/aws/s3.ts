import { hash } from "node:crypto";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { now } from "../clock.ts";
import { getAwsSettings } from "../env.ts";
import { retry } from "../retry.ts";
import { ALGORITHM, deriveSigningKey, encode, encodePath, hmac, toAmzDate } from "./signature-v4.ts";

// `@aws-sdk/s3-request-presigner` 3.1169.0 and the client that it needs would add 432 KB to each function that signs a URL, and 57 to
// 70 ms of CPU time to its start.

/** Object in a bucket. Keys may contain slashes. */
export interface ObjectRef {
  readonly bucket: string;
  readonly key: string;
}

type Method = "PUT" | "GET" | "DELETE";

/**
 * Parts of a request that its signature covers in addition to method, bucket and key: the caller of the URL must send them
 * unchanged.
 */
interface SignedParts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/**
 * Returns a URL that allows one request to an object, signed with the credentials of the function.
 * @param signed headers that the request must carry with these values, names in lower case, and query parameters of the URL
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export function presignUrl(
  method: Method,
  { bucket, key }: ObjectRef,
  expiresSeconds: number,
  { headers = {}, query: ownParameters = {} }: SignedParts = {},
): string {
  const { region, accessKeyId, secretAccessKey, sessionToken, endpoint } = getAwsSettings("S3");
  const url = new URL(
    endpoint
      ? `${endpoint}/${bucket}/${encodePath(key)}`
      : `https://${bucket}.s3.${region}.amazonaws.com/${encodePath(key)}`,
  );
  const date = toAmzDate(new Date(now()));
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  const allHeaders: Record<string, string> = { ...headers, host: url.host };
  const names = Object.keys(allHeaders).sort();
  const parameters: Record<string, string> = {
    ...ownParameters,
    "X-Amz-Algorithm": ALGORITHM,
    "X-Amz-Credential": `${accessKeyId}/${scope}`,
    "X-Amz-Date": date,
    "X-Amz-Expires": String(expiresSeconds),
    ...(sessionToken && { "X-Amz-Security-Token": sessionToken }),
    "X-Amz-SignedHeaders": names.join(";"),
  };
  const query = Object.keys(parameters)
    .sort()
    .map((name) => `${encode(name)}=${encode(parameters[name] ?? "")}`)
    .join("&");
  const headerLines = names.map((name) => `${name}:${allHeaders[name]}\n`).join("");
  const canonical = [method, url.pathname, query, headerLines, names.join(";"), "UNSIGNED-PAYLOAD"].join("\n");
  const stringToSign = [ALGORITHM, date, scope, hash("sha256", canonical)].join("\n");
  const signature = hmac(deriveSigningKey(secretAccessKey, scope), stringToSign).toString("hex");
  return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${signature}`;
}

/** Maximum time without data on the connection; then the attempt fails. */
const TIMEOUT_MS = 20_000;
const MAX_ATTEMPTS = 3;
/** Validity of a URL that the function signs and requests itself. */
const OWN_URL_SECONDS = 60;

interface Response {
  readonly status: number;
  readonly body: Buffer;
}

/** Options of a request that the function sends itself, instead of giving a presigned URL to a browser. */
interface CallOptions {
  readonly content?: Uint8Array;
  readonly maxBytes?: number;
  /** Positions of the first and last byte to read, both included. */
  readonly range?: readonly [number, number];
}

function send(
  method: Method,
  ref: ObjectRef,
  { content, maxBytes = 1_000_000, range }: CallOptions,
): Promise<Response> {
  const headers = { "content-length": content?.length ?? 0, ...(range && { range: `bytes=${range.join("-")}` }) };
  const url = new URL(presignUrl(method, ref, OWN_URL_SECONDS));
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = open(url, { method, timeout: TIMEOUT_MS, headers });
    request.on("response", (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) request.destroy(new Error("The object is larger than expected"));
        else chunks.push(chunk);
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      response.on("error", reject);
    });
    request.on("timeout", () => request.destroy(new Error(`No response from S3 within ${TIMEOUT_MS} ms`)));
    request.on("error", reject);
    request.end(content);
  });
}

/**
 * Sends a request, with up to three attempts after network errors and server errors.
 * @throws Error for any other error status except 404, which the caller handles
 */
async function call(method: Method, ref: ObjectRef, options: CallOptions = {}): Promise<Response> {
  const toError = ({ status }: Response) => new Error(`S3 answered ${method} with status ${status}`);
  const sendOnce = async () => {
    const response = await send(method, ref, options);
    if (response.status >= 500) throw toError(response);
    return response;
  };
  const response = await retry(sendOnce, { maxAttempts: MAX_ATTEMPTS });
  if (response.status >= 300 && response.status !== 404) throw toError(response);
  return response;
}

export async function putObject(ref: ObjectRef, content: Uint8Array): Promise<void> {
  await call("PUT", ref, { content });
}

/**
 * Returns the content of an object, or undefined if it does not exist.
 * @throws Error if it has more than `maxBytes`
 */
export async function findObject(ref: ObjectRef, maxBytes: number): Promise<Buffer | undefined> {
  const { status, body } = await call("GET", ref, { maxBytes });
  return status === 404 ? undefined : body;
}

/** Returns up to `bytes` bytes of an object from position `start`, fewer at its end; undefined if the object does not exist. */
export async function findObjectRange(ref: ObjectRef, start: number, bytes: number): Promise<Buffer | undefined> {
  const { status, body } = await call("GET", ref, { range: [start, start + bytes - 1], maxBytes: bytes });
  return status === 404 ? undefined : body;
}

/** Deletes an object. Deleting one that does not exist has no effect. */
export async function deleteObject(ref: ObjectRef): Promise<void> {
  await call("DELETE", ref);
}
