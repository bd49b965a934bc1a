import { useEffect, useState } from "preact/hooks";
import type { MessageHit } from "../../../../shared/api/conversations/message-search.ts";
import { api } from "../session/session.ts";
import { type Resource, useResource } from "./data.ts";

export interface MessageFilters {
  readonly folder_id?: string;
  readonly role?: MessageHit["role"];
  readonly created_after?: string;
}

const MIN_QUERY_LENGTH = 2;

/** Returns the latest value that has stayed the same for `ms` milliseconds. */
export function useDebounced(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Searches the messages that the user can read. Searches nothing for less than two characters. */
export function useMessageSearch(
  q: string,
  filters: MessageFilters = {},
): Resource<readonly MessageHit[]> & { reload: () => void } {
  const key = q.length < MIN_QUERY_LENGTH ? null : `message-search:${JSON.stringify([q, filters])}`;
  return useResource(key, async () => {
    const { results } = await api.GET("/v1/messages/search", { params: { query: { q, ...filters } } });
    return results;
  });
}

export const messagePath = ({ conversation_id, message_id, parent_id }: MessageHit): string =>
  `/console/chat/${conversation_id}?${parent_id ? `thread=${parent_id}&` : ""}message=${message_id}`;
