import * as v from "valibot";
import { describe } from "../../api/fields.ts";
import type { UserPrincipal } from "../../auth/principal.ts";
import { newConversation, newConversationWrites } from "../../conversations/conversation-store.ts";
import { findMessage } from "../../conversations/message-store.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { truncate } from "../../lib/truncate.ts";
import { blocksToMarkdown } from "../../markdown/blocks-to-markdown.ts";
import type { OfferedTool } from "../../mcp/server-tools.ts";
import { authorizePersonaUse } from "../../personas/persona-store.ts";
import { isTerminal } from "../../runs/events.ts";
import type { Run } from "../../runs/run.ts";
import { RunController } from "../../runs/run-controller.ts";
import type { Tenant } from "../../tenancy/tenant-store.ts";
import { requireDepth } from "../../tools/mcp/call-depth.ts";
import { beginTurn } from "../begin-turn.ts";
import { admitTurn } from "../launch-turn.ts";

const Input = v.object({
  question: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(32_000)),
  persona_id: v.optional(describe(v.pipe(v.string(), v.maxLength(128)), "persona of a new conversation")),
  conversation_id: describe(
    v.optional(v.pipe(v.string(), v.maxLength(128))),
    "conversation to continue; by default a new one",
  ),
});

interface AskContext {
  readonly requestId: string;
  readonly tenant: Tenant;
  readonly remainingMs: number;
  /** Keeps the function running until the promise settles, after the response was sent. */
  waitUntil(work: Promise<unknown>): void;
}

const MAX_TITLE_CHARACTERS = 80;

/** Maximum duration in milliseconds of one wait for frames. Then the wait is repeated. */
const WAIT_MS = 30_000;

/** Returns the conversation that the caller named, or creates one with the named persona. */
async function toConversation(
  principal: UserPrincipal,
  { question, persona_id, conversation_id }: v.InferOutput<typeof Input>,
) {
  if (conversation_id !== undefined) return { id: conversation_id };
  const persona = persona_id === undefined ? null : (await authorizePersonaUse(principal, persona_id)).persona;
  const title = truncate(question, MAX_TITLE_CHARACTERS);
  const fields = {
    title,
    tier: persona?.tier ?? ("THINKING" as const),
    folder_id: null,
    persona_id: persona?.id ?? null,
  };
  const conversation = newConversation(principal.userId, fields);
  await tenantTable(principal).transact(newConversationWrites(principal, conversation));
  return conversation;
}

/**
 * Follows a run until it ends or pauses.
 * @returns the message of the pause, or null if the run has ended
 */
async function follow({ feed }: Run, onProgress: (message: string) => void): Promise<string | null> {
  for (let seq = 0; ; ) {
    const frames = await feed.next(seq, WAIT_MS);
    if (frames === null) return null;
    for (const frame of frames) {
      seq = frame.seq;
      const { type, data } = frame.event;
      if (type === "thinking_step") onProgress(`${data.title}: ${data.detail}`);
      if (type === "preflight_warning" && data.approval_id) return data.message;
      if (type === "error") throw new ServiceError("model_error", data.message);
      if (isTerminal(frame.event)) return null;
    }
  }
}

/**
 * Returns the tool `ask_persona` for one request of an MCP client. Its calls run with the permissions of the client's
 * user.
 */
export const askPersona = ({ requestId, tenant, remainingMs, waitUntil }: AskContext): OfferedTool => ({
  name: "ask_persona",
  title: "Ask a persona",
  description:
    "Asks the assistant, or one of its personas, with the organization's knowledge and the user's rights, in a conversation that the user can read and continue. Returns the answer with its sources.",
  input: Input,
  isReadOnly: false,
  async run(principal, input, { meta, onProgress }) {
    const depth = requireDepth(meta);
    if (principal.apiKey && !principal.apiKey.scopes.includes("chat.run")) {
      throw new ServiceError("forbidden", "The key needs the scope chat.run.");
    }
    const fields = input as v.InferOutput<typeof Input>;
    const { id, tier } = { tier: undefined, ...(await toConversation(principal, fields)) };
    const controller = new RunController(remainingMs);
    const request = {
      ...{ conversation_id: id, content: fields.question, tool_depth: depth },
      ...(tier && { tier }),
      ...{ parent_message_id: null, regenerate_message_id: null },
    };
    const keyId = principal.apiKey?.id ?? null;
    const context = { requestId, signal: controller.signal, recordStart: () => null, tenant, keyId };
    const run = await admitTurn(() => beginTurn(principal, request, context), controller);
    waitUntil(run.finished);
    const consent = await follow(run, onProgress);
    const place = { conversation_id: id, message_id: run.messageId };
    if (consent !== null) return { ...place, status: "waiting", text: `The user has to decide first: ${consent}` };
    const answer = await findMessage(principal, id, run.messageId);
    const content = answer?.content ?? [];
    const sources = content.flatMap((block) =>
      block.type === "citation" ? [{ number: block.index, title: block.title, uri: block.uri }] : [],
    );
    return { ...place, status: answer?.status ?? "failed", text: blocksToMarkdown(content), sources };
  },
});
