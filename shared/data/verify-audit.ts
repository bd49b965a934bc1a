import type { AuditEvent } from "../api/audit.ts";
import { type ChainHead, faultOf, noEvents } from "../domain/audit-chain.ts";
import { chainHead, eventsAfter } from "./audit-store.ts";
import { cursorAt, positionOf } from "./pages.ts";
import type { TenantScope } from "./tenant-scope.ts";

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

/**
 * Verifies a tenant's chain, or the next part of it: from its beginning each event has to follow from the one before, up
 * to where the chain's end was when this began.
 * @throws ServiceError `invalid_cursor`
 */
export async function verifyChain(scope: TenantScope, cursor?: string): Promise<Verification> {
  const head = await chainHead(scope);
  const position = positionOf(scope, binding, cursor);
  let at: ChainHead = position === undefined ? noEvents : JSON.parse(position);
  for (let checked = 0; at.seq < head.seq; ) {
    if (checked >= most) return { checked, broken: null, head, next: cursorAt(scope, binding, JSON.stringify(at)) };
    const events = await eventsAfter(scope, at.seq, batch);
    for (const event of events.slice(0, head.seq - at.seq)) {
      const reason = faultOf(event, at);
      checked++;
      if (reason) return { checked, broken: brokenAt(event, at, reason), head, next: null };
      at = { seq: event.seq, hash: event.hash };
    }
    if (events.length === 0)
      return { checked, broken: { seq: at.seq + 1, id: null, reason: "missing" }, head, next: null };
    if (at.seq >= head.seq) return { checked, broken: at.hash === head.hash ? null : endBroken(at), head, next: null };
  }
  return { checked: 0, broken: null, head, next: null };
}

const endBroken = ({ seq }: ChainHead) => ({ seq, id: null, reason: "changed" as const });

function brokenAt({ seq, id }: AuditEvent, before: ChainHead, reason: Fault) {
  return reason === "missing" ? { seq: before.seq + 1, id: null, reason } : { seq, id, reason };
}
