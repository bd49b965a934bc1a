import * as v from "valibot";
import { requireFound } from "../../lib/errors.ts";
import { requireEmbedKey } from "../../tenancy/embed-key-store.ts";
import { findSessionOf } from "../../visitors/embed-session-store.ts";
import { isHeld, requestHandover } from "../../visitors/handover-store.ts";
import { defineTool } from "./tool.ts";

/** Tool with which the assistant hands a visitor over to a person. */
export const requestPersonTool = defineTool({
  name: "request_person",
  title: "Asking for a person",
  description:
    "Asks a person of the team to take over the conversation. Use it if the visitor asks for a person, or if you cannot help and a person could.",
  input: v.object({}),
  async run({ principal, conversation, questionText }) {
    if (principal.kind !== "visitor" || principal.handoverKeyId === null)
      return { result: "Persons do not answer here." };
    const [key, session] = await Promise.all([
      requireEmbedKey(principal, principal.handoverKeyId),
      findSessionOf(principal, conversation.id),
    ]);
    const handover = await requestHandover(principal, key, requireFound(session), {
      reason: "assistant",
      question: questionText,
    });
    return {
      result: isHeld(handover)
        ? "A person was asked and reads the conversation. Tell the visitor, in one sentence, that a person will answer here."
        : "No person is there at the moment. Tell the visitor, who can leave an e-mail address below the chat.",
    };
  },
});
