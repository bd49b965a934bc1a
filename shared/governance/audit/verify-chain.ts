import { parseCursor, toCursor } from "../../dynamodb/pagination.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { type ChainHead, emptyChainHead, findFault } from "./audit-chain.ts";
import { getChainHead, listEventsAfter } from "./audit-store.ts";

interface Verification {
  readonly checked: number;
  readonly broken: { readonly seq: number; readonly id: string | null; readonly reason: Fault } | null;
  readonly head: ChainHead;
  readonly next: string | null;
}

type Fault = NonNullable<ReturnType<typeof findFault>>;

/** Maximum number of events that one request verifies; a cursor continues with the rest. */
const MAX_EVENTS = 20_000;
const BATCH_SIZE = 1_000;

const binding = { list: "audit-verification" };

/**
 * Parses the position in a cursor: sequence number and hash of the last verified event.
 * @throws ServiceError `invalid_cursor` if the position is malformed
 */
function parsePosition(position: string): ChainHead {
  const [, seq, hash = ""] = /^([1-9]\d{0,14}) ([0-9a-f]{64})$/.exec(position) ?? [];
  if (seq === undefined) throw new ServiceError("invalid_cursor");
  return { seq: Number(seq), hash };
}

/**
 * Verifies a tenant's chain, or its part after a cursor, up to the head at the start of the request. Each event must
 * continue the previous one.
 * @throws ServiceError `invalid_cursor`
 */
export async function verifyChain(scope: TenantScope, cursor?: string): Promise<Verification> {
  const head = await getChainHead(scope);
  const position = parseCursor(scope, binding, cursor);
  let last = position === undefined ? emptyChainHead : parsePosition(position);
  let checked = 0;
  const finish = (broken: Verification["broken"]) => ({ checked, broken, head, next: null });
  while (last.seq < head.seq) {
    if (checked >= MAX_EVENTS) {
      return { ...finish(null), next: toCursor(scope, binding, `${last.seq} ${last.hash}`) };
    }
    const events = (await listEventsAfter(scope, last.seq, BATCH_SIZE)).slice(0, head.seq - last.seq);
    if (events.length === 0) return finish({ seq: last.seq + 1, id: null, reason: "missing" });
    for (const event of events) {
      checked++;
      const reason = findFault(event, last);
      if (reason === "missing") return finish({ seq: last.seq + 1, id: null, reason });
      if (reason) return finish({ seq: event.seq, id: event.id, reason });
      last = { seq: event.seq, hash: event.hash };
    }
  }
  if (last.hash !== head.hash) return finish({ seq: last.seq, id: null, reason: "changed" });
  return finish(await findEventBeyondHead(scope, head));
}

/**
 * Returns a fault if an event follows the head of the chain, which means that the head was moved back. Null if the
 * chain has just grown.
 */
async function findEventBeyondHead(scope: TenantScope, { seq }: ChainHead): Promise<Verification["broken"]> {
  const [event] = await listEventsAfter(scope, seq, 1);
  if (!event || (await getChainHead(scope)).seq !== seq) return null;
  return { seq: event.seq, id: event.id, reason: "out_of_place" };
}
