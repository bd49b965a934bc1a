import type { EmbedHandover, Handover } from "../api/embed/handovers.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { findPlace, isMissed, type StoredHandover } from "./handover-store.ts";

const statusOf = (handover: StoredHandover) => (isMissed(handover) ? "missed" : handover.status);

/** Returns a hand-over as its visitor sees it. @param showsNames false if the website does not show the names of persons */
export async function toEmbedHandover(
  scope: TenantScope,
  handover: StoredHandover,
  showsNames: boolean,
): Promise<EmbedHandover> {
  const status = statusOf(handover);
  return {
    status,
    place: status === "waiting" ? await findPlace(scope, handover) : null,
    person: status === "claimed" ? { name: showsNames ? handover.person_name : null } : null,
    is_typing: status === "claimed" && handover.typing_until > now(),
    has_contact: handover.contact_email !== null,
  };
}

/** Returns a hand-over as persons see it. */
export function toHandover(handover: StoredHandover): Handover {
  const { conversation_id, person_id, person_name, typing_until: _, session: __, ...fields } = handover;
  return {
    id: conversation_id,
    ...fields,
    status: statusOf(handover),
    person: person_id === null ? null : { user_id: person_id, name: person_name },
  };
}
