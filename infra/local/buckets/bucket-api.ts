import type { IncomingMessage, ServerResponse } from "node:http";
import { AwsException } from "../aws-json.ts";
import { decode, readBody } from "../gateway/gateway-request.ts";
import { list, text } from "../json.ts";
import type { Bucket } from "./buckets.ts";
import { verifyPresignedUrl } from "./presigned-url.ts";

/** Size limit of an object in the local emulation; S3 itself accepts 5 GB in one request. */
const maxObjectBytes = 256 * 1024 * 1024;

/** IAM action that each HTTP method on an object requires. */
const actions: Readonly<Record<string, string>> = {
  PUT: "s3:PutObject",
  GET: "s3:GetObject",
  HEAD: "s3:GetObject",
  DELETE: "s3:DeleteObject",
};

/**
 * Handles a request to an object by a presigned URL in path style.
 * @param authorize throws AwsError if the function with this access key may not perform the action on the object
 * @returns false if the path names no bucket
 */
export async function serveObject(
  buckets: ReadonlyMap<string, Bucket>,
  request: IncomingMessage,
  response: ServerResponse,
  authorize: (accessKey: string, action: string, arn: string) => void,
): Promise<boolean> {
  const [, bucketName = "", ...segments] = (request.url ?? "").split("?")[0]?.split("/") ?? [];
  const bucket = buckets.get(decode(bucketName));
  const method = request.method ?? "";
  if (!bucket || segments.length === 0 || !(method in actions || method === "OPTIONS")) return false;
  setCorsHeaders(bucket, request, response);
  if (method === "OPTIONS") {
    response.writeHead(response.hasHeader("access-control-allow-origin") ? 200 : 403).end();
    return true;
  }
  const key = decode(segments.join("/"));
  try {
    authorize(verifyPresignedUrl(request), actions[method] ?? "", `${bucket.arn}/${key}`);
    await perform(bucket, key, request, response);
  } catch (error) {
    if (!(error instanceof AwsException)) throw error;
    request.resume();
    sendError(response, error.name === "EntityTooLarge" ? 400 : 403, error.name, error.message);
  }
  return true;
}

async function perform(bucket: Bucket, key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "PUT") {
    const content = await readBody(request, maxObjectBytes);
    if (content.length > maxObjectBytes) throw new AwsException("EntityTooLarge", "The object is too large.");
    response.writeHead(200, { etag: `"${bucket.put(key, content)}"` }).end();
    return;
  }
  if (request.method === "DELETE") {
    bucket.delete(key);
    response.writeHead(204).end();
    return;
  }
  const content = bucket.find(key);
  if (!content) return sendError(response, 404, "NoSuchKey", "The specified key does not exist.");
  // A presigned URL can name headers of the response.
  const query = new URLSearchParams((request.url ?? "").split("?")[1]);
  const disposition = query.get("response-content-disposition");
  const range = findRange(request.headers.range, content.length);
  const body = range ? content.subarray(range.start, range.end) : content;
  response.writeHead(range ? 206 : 200, {
    "content-length": body.length,
    ...(range && { "content-range": `bytes ${range.start}-${range.end - 1}/${content.length}` }),
    "content-type": query.get("response-content-type") ?? "binary/octet-stream",
    ...(disposition !== null && { "content-disposition": disposition }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/**
 * Returns the positions of the first and last requested byte; null without a `Range` header. Only a single range with both
 * positions is supported.
 */
function findRange(header: string | undefined, length: number): { start: number; end: number } | null {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(header ?? "") ?? [];
  if (first === undefined) return null;
  const [start, end] = [Number(first), Math.min(Number(last) + 1, length)];
  if (start >= length) throw new AwsException("InvalidRange", "The requested range is not satisfiable.");
  return { start, end };
}

/** Sets the response headers of the bucket's first CORS rule that allows the origin and method of the request. */
function setCorsHeaders({ corsRules }: Bucket, request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  const method = request.headers["access-control-request-method"] ?? request.method;
  if (origin === undefined) return;
  const rule = corsRules.find(
    ({ AllowedOrigins, AllowedMethods }) =>
      list(AllowedOrigins).some((allowed) => allowed === "*" || allowed === origin) &&
      list(AllowedMethods).includes(method),
  );
  if (!rule) return;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-allow-methods", list(rule.AllowedMethods).map(text).join(", "));
  response.setHeader("access-control-allow-headers", list(rule.AllowedHeaders).map(text).join(", "));
  response.setHeader("access-control-expose-headers", list(rule.ExposedHeaders).map(text).join(", "));
}

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  );
}
