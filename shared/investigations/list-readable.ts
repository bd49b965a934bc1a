import type { Investigation } from "../api/investigations/investigations.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import type { Page, PageRequest } from "../dynamodb/pagination.ts";
import { ServiceError } from "../lib/errors.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { listInvestigations, toInvestigation } from "./investigation-store.ts";

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

/**
 * Lists the investigations in conversations that the user can read, newest first. A page can have few or no entries
 * although others follow.
 * @param state `open` for those whose incident is not resolved
 * @throws ServiceError `invalid_cursor`
 */
export async function listReadable(
  principal: UserPrincipal,
  state: "open" | "all",
  request: PageRequest,
): Promise<Page<Investigation>> {
  const isListed = (investigation: Investigation) => state === "all" || investigation.state !== "resolved";
  const { entries, next } = await listInvestigations(principal, { state }, isListed, request);
  const readable = await findReadable(
    principal,
    entries.map(({ conversation_id }) => conversation_id),
  );
  return {
    entries: entries.filter(({ conversation_id }) => readable.has(conversation_id)).map(toInvestigation),
    next,
  };
}
