import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { fields } from "../json.ts";
import { type ExecutionRole, findDenial } from "./authorization.ts";
import { modelRequests } from "./model-requests.ts";
import type { AccessRequest } from "./permissions.ts";
import { type PartitionKeys, tableRequests } from "./table-requests.ts";

interface OutgoingRequest {
  host: string;
  path: string;
  header(name: string): string | undefined;
  body: string;
}

/** Role of a function, and how to recognize requests to its tables. */
export interface GuardOptions {
  role: ExecutionRole;
  /** Host and port of the table server. */
  tableHost: string;
  partitionKeys: PartitionKeys;
}

/**
 * Rejects requests of this thread to DynamoDB and Bedrock that the execution role does not allow, with the error that AWS
 * returns. Covers `node:http`, `node:https` and `fetch`, so it works with any client that the function bundles. Requests to
 * SQS, S3, Lambda and Secrets Manager are evaluated where they arrive, in `service-server.ts`.
 */
export function enforcePermissions({ role, tableHost, partitionKeys }: GuardOptions): void {
  const toAccessRequests = ({ host, path, header, body }: OutgoingRequest): AccessRequest[] => {
    const target = header("x-amz-target");
    if (host === tableHost && target) {
      return tableRequests(target.slice(target.indexOf(".") + 1), parseBody(body), partitionKeys);
    }
    // A request with an API key instead of a signature does not depend on the role.
    const isSigned = /^AWS4-HMAC-SHA256 .*\/bedrock\/aws4_request/.test(header("authorization") ?? "");
    return isSigned ? modelRequests(path) : [];
  };
  const findError = (request: OutgoingRequest): Error | undefined => {
    for (const each of toAccessRequests(request)) {
      const reason = findDenial(role, each);
      if (reason) return accessDenied(reason);
    }
    return undefined;
  };
  subscribe("http.client.request.created", (message) =>
    guardRequest((message as { request: ClientRequest }).request, findError),
  );
  globalThis.fetch = guardFetch(globalThis.fetch, findError);
}

/**
 * Delays a request until its body is complete, because the body names the items that the permissions depend on. Then sends it
 * or fails with the error.
 */
function guardRequest(request: ClientRequest, findError: (request: OutgoingRequest) => Error | undefined): void {
  const header = (name: string) => request.getHeader(name)?.toString();
  if (!header("x-amz-target") && !header("authorization")) return;
  const { write, end } = request;
  const chunks: Buffer[] = [];
  const addChunk = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === "string")
      chunks.push(Buffer.from(chunk, typeof encoding === "string" ? (encoding as "utf8") : "utf8"));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  request.write = (chunk: unknown, encoding?: unknown, callback?: unknown) => {
    addChunk(chunk, encoding);
    for (const each of [encoding, callback]) if (typeof each === "function") each();
    return true;
  };
  request.end = (chunk?: unknown, encoding?: unknown, callback?: unknown) => {
    addChunk(chunk, encoding);
    Object.assign(request, { write, end });
    const body = Buffer.concat(chunks);
    const done = [chunk, encoding, callback].find((each) => typeof each === "function") as (() => void) | undefined;
    const error = findError({ host: header("host") ?? "", path: request.path, header, body: body.toString() });
    return error ? request.destroy(error) : body.length > 0 ? request.end(body, done) : request.end(done);
  };
}

function guardFetch(original: typeof fetch, findError: (request: OutgoingRequest) => Error | undefined): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const header = (name: string) => request.headers.get(name) ?? undefined;
    if (!header("x-amz-target") && !header("authorization")) return original(input, init);
    const { host, pathname } = new URL(request.url);
    const body = header("x-amz-target") ? await request.clone().text() : "";
    const error = findError({ host, path: pathname, header, body });
    if (error) throw new TypeError("fetch failed", { cause: error });
    return original(request);
  };
}

function parseBody(body: string) {
  try {
    return fields(JSON.parse(body));
  } catch {
    return {};
  }
}

/** Creates an error in the shape of the SDK's exceptions, so that clients do not retry it. */
function accessDenied(message: string): Error {
  const details = { name: "AccessDeniedException", $fault: "client", $metadata: { httpStatusCode: 400 } };
  return Object.assign(new Error(message), details);
}
