import type { UserPrincipal } from "../auth/principal.ts";
import { sanitizeUntrusted } from "../guardrails/sanitize-untrusted.ts";
import { now } from "../lib/clock.ts";
import { requireFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { truncate } from "../lib/truncate.ts";
import { ServerSession } from "./server-session.ts";
import type { StoredToolServer } from "./server-store.ts";
import { toToolResult } from "./tool-result.ts";
import { toToolServerFailure } from "./tool-server-error.ts";

/** Timeout of a trial call. An administrator waits for it, and API Gateway ends requests after 29 seconds. */
const TIMEOUT_MS = 25_000;

const MAX_RESULT_CHARACTERS = 20_000;

/**
 * Calls an approved tool outside of a chat, so that an administrator can try it. The result is truncated to
 * `MAX_RESULT_CHARACTERS`.
 * @throws ServiceError `not_found` for a tool that is not approved, `tool_server_failed`
 */
export async function tryTool(member: UserPrincipal, server: StoredToolServer, name: string, input: unknown) {
  const tool = requireFound(server.tools.find((each) => each.name === name && each.status === "approved"));
  const session = new ServerSession(member, server);
  const startedAtMs = now();
  try {
    const result = await session.call(tool, input, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      meta: {},
      caller: {
        ...{ sub: member.userId, kind: "user", act: null, email: member.email, visitor_sub: null, form: null },
        groups: [],
        ...{ conversation_id: null, persona_id: null, run_id: null, call_id: newId(), approval_id: null },
      },
      onProgress: () => {},
    });
    return {
      result: truncate(sanitizeUntrusted(JSON.stringify(toToolResult(result), null, 2)), MAX_RESULT_CHARACTERS),
      is_error: result.isError,
      duration_ms: now() - startedAtMs,
    };
  } catch (error) {
    throw toToolServerFailure(error);
  } finally {
    await session.close();
  }
}
