import type { Investigation } from "../api/investigations/investigations.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import type { Page, PageRequest } from "../dynamodb/pagination.ts";
import { timestamp } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import {
  findMergedInto,
  listInvestigations,
  type StoredInvestigation,
  toInvestigation,
} from "./investigation-store.ts";

/**
 * Returns the ids of those conversations that the user can read. A conversation for which the check throws a
 * ServiceError is left out; other errors are thrown.
 */
async function findReadable(principal: UserPrincipal, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const readable = await mapConcurrent([...new Set(ids)], async (id) => {
    try {
      await authorizeConversation(principal, id, "READ");
      return [id];
    } catch (error) {
      if (error instanceof ServiceError) return [];
      throw error;
    }
  });
  return new Set(readable.flat());
}

/** True if the incident of an investigation is not resolved, and not silenced. */
const isOpen = ({ state, silenced_until }: StoredInvestigation) =>
  state !== "resolved" && (silenced_until === null || silenced_until <= timestamp());

/**
 * Returns true if an investigation was merged into one that is listed in its place: a later one of its own incident, or one of an
 * incident that is not resolved.
 */
async function isShownByOther(scope: UserPrincipal, investigation: StoredInvestigation) {
  const other = await findMergedInto(scope, investigation);
  if (other.id === investigation.id) return false;
  return other.incident_hash === investigation.incident_hash || other.state !== "resolved";
}

/**
 * Lists the investigations in conversations that the user can read, newest first. A page can have few or no entries
 * although others follow.
 * @param state `open` for those whose incident is not resolved, silenced, or shown by another one that it was merged into
 * @throws ServiceError `invalid_cursor`
 */
export async function listReadable(
  principal: UserPrincipal,
  state: "open" | "all",
  request: PageRequest,
): Promise<Page<Investigation>> {
  const isListed = (investigation: StoredInvestigation) => state === "all" || isOpen(investigation);
  const { entries, next } = await listInvestigations(principal, { state }, isListed, request);
  const [readable, isHidden] = await Promise.all([
    findReadable(
      principal,
      entries.map(({ conversation_id }) => conversation_id),
    ),
    mapConcurrent(entries, async (entry) => state === "open" && (await isShownByOther(principal, entry))),
  ]);
  return {
    entries: entries
      .filter(({ conversation_id }, index) => readable.has(conversation_id) && !isHidden[index])
      .map(toInvestigation),
    next,
  };
}
