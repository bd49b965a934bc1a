import type { EndedToolCard, ToolCard } from "../api/embed/tool-card.ts";
import { isVisitorId } from "../api/user-ids.ts";
import type { Frame, RunEvent } from "./events.ts";
import type { StoredRun } from "./run-store.ts";

/** Returns what visitors see of a call of a tool when an event tells of it; null for other events. */
export function toToolCard(message_id: string, { type, data, call }: RunEvent): ToolCard | null {
  if (type === "tool_call") {
    const { call_id, title, status } = data;
    return { message_id, call_id, title, status };
  }
  if (type !== "preflight_warning" || !call?.shown || data.approval_id === undefined) return null;
  const { call_id, title, shown } = call;
  return { message_id, call_id, title, status: "waiting", approval_id: data.approval_id, ...shown };
}

/** Returns a call as it is stored after the end of its run, which executes no more calls. */
export function toEndedCard({ title, status }: EndedToolCard): EndedToolCard {
  return { title, status: status === "waiting" ? "declined" : status === "running" ? "unknown" : status };
}

/** Returns the calls of tools in the logged part of an answer to a visitor; undefined for none. */
export function findLoggedCards(run: StoredRun, frames: readonly Frame[]): EndedToolCard[] | undefined {
  if (!isVisitorId(run.user_id)) return undefined;
  const cards = new Map<string, EndedToolCard>();
  for (const { event } of frames) {
    const card = toToolCard(run.message_id, event);
    if (card) cards.set(card.call_id, toEndedCard(card));
  }
  return cards.size > 0 ? [...cards.values()] : undefined;
}
