import { createHash } from "node:crypto";
import { subjectOf } from "../../auth/principal.ts";
import type { Write } from "../../dynamodb/table.ts";
import { tableOf } from "../../dynamodb/tenant-scope.ts";
import { invalidField, ServiceError } from "../../lib/errors.ts";
import type { HttpResponse } from "../errors/problems.ts";
import { Reply, successResponse } from "../reply.ts";
import type { Principal, RequestContext } from "../request-context.ts";
import { findRecordedResponse, type RecordedResponse, recordResponseWrite } from "./idempotency-store.ts";

/** Carries out a handler's writes; with an `Idempotency-Key`, the answer is recorded in the same transaction. */
export type Commit = <Result>(result: Result, ...writes: readonly Write[]) => Promise<Result>;

/** The same request was answered meanwhile. */
class AlreadyRecordedError extends Error {
  readonly answer: RecordedResponse;
  constructor(answer: RecordedResponse) {
    super("The request was answered before");
    this.answer = answer;
  }
}

const keyShape = /^[\x21-\x7e]{1,255}$/;

/** The request's key; null without one. */
function getIdempotencyKey({ contract, http }: RequestContext): string | null {
  const key = http.headers["idempotency-key"];
  if (contract.idempotency === "none" || (key === undefined && contract.idempotency === "accepted")) return null;
  if (key === undefined) throw new ServiceError("idempotency_key_required");
  if (keyShape.test(key)) return key;
  throw invalidField({
    path: "Idempotency-Key",
    location: "header",
    code: "invalid_format",
    message: "must be 1 to 255 visible ASCII characters",
  });
}

const hash = (...parts: readonly unknown[]) => createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/** A request with an `Idempotency-Key`, as it is recorded. */
export interface IdempotentRequest {
  readonly principal: NonNullable<Principal>;
  /** Who used which key where. */
  readonly id: string;
  readonly fingerprint: string;
}

/** The request as one that may be sent again; null without a key. @throws ServiceError for a key that is none */
export function toIdempotentRequest(exchange: RequestContext): IdempotentRequest | null {
  const key = getIdempotencyKey(exchange);
  const { principal, contract, http, input } = exchange;
  if (key === null || !principal) return null;
  return {
    principal,
    id: hash(subjectOf(principal), contract.id, key),
    fingerprint: hash(http.path, input.body ?? null),
  };
}

function createCommit(exchange: RequestContext, request: IdempotentRequest | null): Commit {
  return async (result, ...writes) => {
    const { principal } = exchange;
    if (!principal) throw new Error(`${exchange.contract.id} has nobody to commit for`);
    const table = tableOf(principal);
    if (!request) {
      const [only] = writes;
      // A transaction costs twice as much as the write in it.
      if (only && writes.length === 1) await table.write(only);
      else await table.transact(writes);
      return result;
    }
    const { fingerprint } = request;
    const { status, body, headers } = Reply.of(exchange.contract, result);
    const record = recordResponseWrite(
      principal,
      request.id,
      { fingerprint, status, body, headers },
      (earlier) => new AlreadyRecordedError(earlier),
    );
    // First of all: when a retry overtakes, its record is what the others fail on, not the effect's conditions.
    await table.transact([record, ...writes]);
    return result;
  };
}

/** The first answer again; for a different request under the same key an error. */
function replay(request: IdempotentRequest, earlier: RecordedResponse): Reply {
  if (earlier.fingerprint !== request.fingerprint) throw new ServiceError("idempotency_key_reused");
  return new Reply(earlier.status, earlier.body, { ...earlier.headers, "idempotent-replayed": "true" });
}

async function runOnce(exchange: RequestContext, handle: (commit: Commit) => Promise<unknown>): Promise<unknown> {
  const request = toIdempotentRequest(exchange);
  const earlier = request && (await findRecordedResponse(request.principal, request.id));
  if (earlier) return replay(request, earlier);
  try {
    return await handle(createCommit(exchange, request));
  } catch (error) {
    if (request && error instanceof AlreadyRecordedError) return replay(request, error.answer);
    throw error;
  }
}

/**
 * Begins something once, however often the request for it is sent with the same `Idempotency-Key`.
 * @param begin begins it; the write that `record` gives belongs in the transaction of the beginning
 * @param attach joins what was begun before, as `record` was told it
 */
export type StartOnce = <Begun, Result>(
  begin: (record: (begun: Begun) => Write | null) => Promise<Result>,
  attach: (begun: Begun) => Promise<Result>,
) => Promise<Result>;

/** How the function of a streaming route begins what it streams. */
export function startOnce(exchange: RequestContext): StartOnce {
  return async (begin, attach) => {
    const request = toIdempotentRequest(exchange);
    const join = (earlier: RecordedResponse) => {
      if (request?.fingerprint !== earlier.fingerprint) throw new ServiceError("idempotency_key_reused");
      return attach(earlier.body as Parameters<typeof attach>[0]);
    };
    const earlier = request && (await findRecordedResponse(request.principal, request.id));
    if (earlier) return join(earlier);
    const { fingerprint = "" } = request ?? {};
    try {
      return await begin(
        (begun) =>
          request &&
          recordResponseWrite(
            request.principal,
            request.id,
            { fingerprint, status: 200, body: begun, headers: {} },
            (found) => new AlreadyRecordedError(found),
          ),
      );
    } catch (error) {
      if (error instanceof AlreadyRecordedError) return join(error.answer);
      throw error;
    }
  };
}

/**
 * Answers a request once, however often it is sent with the same `Idempotency-Key`: the effect and the record of the
 * answer commit in one transaction, so a crash leaves both or neither.
 * @param handle gives the handler's result, having made its effect through the commit it is given
 * @param reveal adds to the body of an answer, the first or a repetition, what must not be stored
 */
export async function respondOnce(
  exchange: RequestContext,
  handle: (commit: Commit) => Promise<unknown>,
  reveal: (body: unknown) => unknown = (body) => body,
): Promise<HttpResponse> {
  const { status, body, headers } = Reply.of(exchange.contract, await runOnce(exchange, handle));
  return successResponse(exchange, new Reply(status, await reveal(body), headers));
}
