import { parseCursor, toCursor } from "../../dynamodb/pagination.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { type ChainHead, emptyChainHead, findFault } from "./audit-chain.ts";
import { getChainHead, listEventsAfter } from "./audit-store.ts";

export interface Verification {
  readonly checked: number;
  readonly broken: { readonly seq: number; readonly id: string | null; readonly reason: Fault } | null;
  readonly head: ChainHead;
  readonly next: string | null;
}

type Fault = NonNullable<ReturnType<typeof findFault>>;

/** Maximum number of events that one request verifies. */
const MAX_EVENTS = 20_000;
const BATCH_SIZE = 1_000;

const binding = { list: "audit-verification" };

/**
 * Parses the position of a cursor: sequence number and hash of the last verified event.
 * @throws ServiceError `invalid_cursor` if the cursor was forged
 */
function parsePosition(position: string): ChainHead {
  const [, seq, hash = ""] = /^([1-9]\d{0,14}) ([0-9a-f]{64})$/.exec(position) ?? [];
  if (seq === undefined) throw new ServiceError("invalid_cursor");
  return { seq: Number(seq), hash };
}

/**
 * Verifies a tenant's chain, or its next part: each event must follow from the previous one, up to the head of the chain at
 * the start of the request.
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

/** Finds an event after the head. Unless the chain has just grown, this means that the head was moved back. */
async function findEventBeyondHead(scope: TenantScope, { seq }: ChainHead): Promise<Verification["broken"]> {
  const [event] = await listEventsAfter(scope, seq, 1);
  if (!event || (await getChainHead(scope)).seq !== seq) return null;
  return { seq: event.seq, id: event.id, reason: "out_of_place" };
}
