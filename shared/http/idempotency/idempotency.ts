import { subjectOf } from "../../auth/principal.ts";
import type { Write } from "../../dynamodb/table.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { invalidField, ServiceError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hash.ts";
import { newId } from "../../lib/ids.ts";
import type { HttpResponse } from "../errors/problems.ts";
import { Reply, successResponse } from "../reply.ts";
import type { Principal, RequestContext } from "../request-context.ts";
import { findRecordedResponse, type RecordedResponse, recordResponseWrite } from "./idempotency-store.ts";

/**
 * Executes a handler's writes and returns `result`. With an `Idempotency-Key`, the same transaction records `result` as
 * the response.
 */
export type Commit = <Result>(result: Result, ...writes: readonly Write[]) => Promise<Result>;

/** Functions and ids with which a handler performs its operation once per `Idempotency-Key`. */
export interface Operation {
  /** Executes the handler's writes and records the response, in one transaction. */
  readonly commit: Commit;
  /**
   * Id of the operation: equal for requests with the same `Idempotency-Key`, otherwise new. It makes handlers
   * idempotent that cannot use `commit`, because another function makes the writes.
   */
  readonly operationId: string;
}

/** Thrown if a concurrent request with the same key recorded its response first. */
class AlreadyRecordedError extends Error {
  readonly recorded: RecordedResponse;
  constructor(recorded: RecordedResponse) {
    super("response already recorded");
    this.recorded = recorded;
  }
}

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the `Idempotency-Key` of a request; null if it has none or the route ignores it.
 * @throws ServiceError `idempotency_key_required`; `validation_failed` for a malformed key
 */
function getIdempotencyKey({ contract, http }: RequestContext): string | null {
  const key = http.headers["idempotency-key"];
  if (contract.idempotency === "none" || (key === undefined && contract.idempotency === "accepted")) return null;
  if (key === undefined) throw new ServiceError("idempotency_key_required");
  if (keyPattern.test(key)) return key;
  throw invalidField("Idempotency-Key", "invalid_format", "must be 1 to 255 visible ASCII characters", "header");
}

const hashParts = (...parts: readonly unknown[]) => sha256(JSON.stringify(parts));

/** Identity of a request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  readonly principal: NonNullable<Principal>;
  /** Hash of caller, operation, key and, for widget visitors, the visitor (`getKeyScope`). */
  readonly id: string;
  /** Hash of path and body, by which a key that is reused for a different request is detected. */
  readonly fingerprint: string;
}

/**
 * Returns what distinguishes the visitors of a website, who all send the same embed key: session id, visitor id or
 * client address. Without it, two visitors with equal `Idempotency-Key`s would receive each other's session. Null for
 * other credentials.
 */
function getKeyScope({ principal, http, input }: RequestContext): string | null {
  if (principal?.kind !== "embed-key") return null;
  const { visitor } = (input.body ?? {}) as { visitor?: { id?: string } };
  return http.params.id ?? visitor?.id ?? http.address;
}

/**
 * Returns the identity of a request with an `Idempotency-Key`; null without one, and without a principal.
 * @throws ServiceError `idempotency_key_required`; `validation_failed` for a malformed key
 */
export function toIdempotentRequest(context: RequestContext): IdempotentRequest | null {
  const key = getIdempotencyKey(context);
  const { principal, contract, http, input } = context;
  if (key === null || !principal) return null;
  const scope = getKeyScope(context);
  return {
    principal,
    id: hashParts(subjectOf(principal), contract.id, key, ...(scope === null ? [] : [scope])),
    fingerprint: hashParts(http.path, input.body ?? null),
  };
}

function createCommit(context: RequestContext, request: IdempotentRequest | null): Commit {
  return async (result, ...writes) => {
    const { principal } = context;
    if (!principal) throw new Error(`${context.contract.id} cannot commit without a principal`);
    const table = tenantTable(principal);
    if (!request) {
      const [first] = writes;
      // DynamoDB bills a transactional write twice as high as a plain one.
      if (first && writes.length === 1) await table.write(first);
      else if (first) await table.transact(writes);
      return result;
    }
    const { fingerprint } = request;
    const { status, body, headers } = Reply.of(context.contract, result);
    const record = recordResponseWrite(
      principal,
      request.id,
      { fingerprint, status, body, headers },
      (recorded) => new AlreadyRecordedError(recorded),
    );
    // The record comes first, so that a concurrent retry fails on it and not on a condition of the handler's writes.
    await table.transact([record, ...writes]);
    return result;
  };
}

/**
 * Returns a recorded response with `Idempotent-Replayed: true`.
 * @throws ServiceError `idempotency_key_reused` if the key was used for a different request
 */
function replay(request: IdempotentRequest, recorded: RecordedResponse): Reply {
  if (recorded.fingerprint !== request.fingerprint) throw new ServiceError("idempotency_key_reused");
  return new Reply(recorded.status, recorded.body, { ...recorded.headers, "idempotent-replayed": "true" });
}

async function runOnce(context: RequestContext, handle: (operation: Operation) => Promise<unknown>): Promise<unknown> {
  const request = toIdempotentRequest(context);
  const recorded = request && (await findRecordedResponse(request.principal, request.id));
  if (recorded) return replay(request, recorded);
  try {
    return await handle({ commit: createCommit(context, request), operationId: request?.id ?? newId() });
  } catch (error) {
    if (request && error instanceof AlreadyRecordedError) return replay(request, error.recorded);
    throw error;
  }
}

/**
 * Starts an operation at most once per `Idempotency-Key`.
 * @param start starts the operation; its transaction must include the write that `record` returns
 * @param attach returns the result of an operation that an earlier request started; receives the value that was passed
 * to `record`
 */
export type StartOnce = <Started, Result>(
  start: (record: (started: Started) => Write | null) => Promise<Result>,
  attach: (started: Started) => Promise<Result>,
) => Promise<Result>;

/** Creates the function that a streaming handler calls to start an operation once per `Idempotency-Key`. */
export function startOnce(context: RequestContext): StartOnce {
  return async (start, attach) => {
    const request = toIdempotentRequest(context);
    const attachTo = (recorded: RecordedResponse) => {
      if (request?.fingerprint !== recorded.fingerprint) throw new ServiceError("idempotency_key_reused");
      return attach(recorded.body as Parameters<typeof attach>[0]);
    };
    const recorded = request && (await findRecordedResponse(request.principal, request.id));
    if (recorded) return attachTo(recorded);
    const { fingerprint = "" } = request ?? {};
    try {
      return await start(
        (started) =>
          request &&
          recordResponseWrite(
            request.principal,
            request.id,
            { fingerprint, status: 200, body: started, headers: {} },
            (stored) => new AlreadyRecordedError(stored),
          ),
      );
    } catch (error) {
      if (error instanceof AlreadyRecordedError) return attachTo(error.recorded);
      throw error;
    }
  };
}

/**
 * Handles a request at most once per `Idempotency-Key`. The handler's writes and the recorded response are one
 * transaction, so a crash leaves both or neither.
 * @param handle runs the handler, which writes with `commit` or derives its ids from `operationId`
 * @param reveal adds data that must not be stored to the body, for the first response and for every replay
 */
export async function respondOnce(
  context: RequestContext,
  handle: (operation: Operation) => Promise<unknown>,
  reveal: (body: unknown) => unknown = (body) => body,
): Promise<HttpResponse> {
  const { status, body, headers } = Reply.of(context.contract, await runOnce(context, handle));
  return successResponse(context, new Reply(status, await reveal(body), headers));
}
