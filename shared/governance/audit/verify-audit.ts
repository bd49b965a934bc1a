import { toCursor, parseCursor } from "../../dynamodb/pagination.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { type ChainHead, faultOf, noEvents } from "./audit-chain.ts";
import { chainHead, eventsAfter } from "./audit-store.ts";

/** What came of a look at a chain, or at a part of it. */
export interface Verification {
  readonly checked: number;
  readonly broken: { readonly seq: number; readonly id: string | null; readonly reason: Fault } | null;
  readonly head: ChainHead;
  readonly next: string | null;
}

type Fault = NonNullable<ReturnType<typeof faultOf>>;

/** Events looked at by one request, and read at once. */
const most = 20_000;
const batch = 1_000;

const binding = { list: "audit-verification" };

/** The place in a chain that a cursor stands for. @throws ServiceError `invalid_cursor` for what only a forged one says */
function placeOf(position: string): ChainHead {
  const [, seq, hash = ""] = /^([1-9]\d{0,14}) ([0-9a-f]{64})$/.exec(position) ?? [];
  if (seq === undefined) throw new ServiceError("invalid_cursor");
  return { seq: Number(seq), hash };
}

/**
 * Verifies a tenant's chain, or the next part of it: from its beginning each event has to follow from the one before, up
 * to where the chain's end was when this began.
 * @throws ServiceError `invalid_cursor`
 */
export async function verifyChain(scope: TenantScope, cursor?: string): Promise<Verification> {
  const head = await chainHead(scope);
  const position = parseCursor(scope, binding, cursor);
  let at = position === undefined ? noEvents : placeOf(position);
  let checked = 0;
  const end = (broken: Verification["broken"]) => ({ checked, broken, head, next: null });
  while (at.seq < head.seq) {
    if (checked >= most) return { ...end(null), next: toCursor(scope, binding, `${at.seq} ${at.hash}`) };
    const events = (await eventsAfter(scope, at.seq, batch)).slice(0, head.seq - at.seq);
    if (events.length === 0) return end({ seq: at.seq + 1, id: null, reason: "missing" });
    for (const event of events) {
      checked++;
      const reason = faultOf(event, at);
      if (reason === "missing") return end({ seq: at.seq + 1, id: null, reason });
      if (reason) return end({ seq: event.seq, id: event.id, reason });
      at = { seq: event.seq, hash: event.hash };
    }
  }
  if (at.hash !== head.hash) return end({ seq: at.seq, id: null, reason: "changed" });
  return end(await beyondEnd(scope, head));
}

/** An event behind the chain's end, unless the chain has just grown: then somebody has put the end back. */
async function beyondEnd(scope: TenantScope, { seq }: ChainHead): Promise<Verification["broken"]> {
  const [beyond] = await eventsAfter(scope, seq, 1);
  if (!beyond || (await chainHead(scope)).seq !== seq) return null;
  return { seq: beyond.seq, id: beyond.id, reason: "out_of_place" };
}
