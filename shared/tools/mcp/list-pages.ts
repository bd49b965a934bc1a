import type * as v from "valibot";
import { ToolServerError } from "../tool-server-error.ts";
import type { ToolsPage } from "./protocol.ts";

/** Limits of a list of tools, because a server could send pages endlessly. */
const MAX_PAGES = 20;
const MAX_TOOLS = 1_000;

/** Tool definitions as the server sent them, not validated, and their cache time. */
export interface ToolList {
  readonly tools: unknown[];
  readonly ttlMs: number | null;
}

/**
 * Returns the tools of all pages.
 * @throws ToolServerError for too many tools or pages, or a repeated cursor
 */
export async function listPages(
  getPage: (cursor?: string) => Promise<v.InferOutput<typeof ToolsPage>>,
): Promise<ToolList> {
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await getPage(cursor);
    tools.push(...result.tools);
    if (tools.length > MAX_TOOLS) break;
    cursor = result.nextCursor || undefined;
    if (cursor === undefined) return { tools, ttlMs: result.ttlMs ?? null };
    if (cursors.has(cursor)) throw new ToolServerError("The server repeats a page of its list of tools.");
    cursors.add(cursor);
  }
  throw new ToolServerError(`The server lists more than ${MAX_TOOLS} tools or ${MAX_PAGES} pages.`);
}
