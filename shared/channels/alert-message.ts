import type { Block } from "../api/blocks.ts";
import type { Message } from "../api/conversations/messages.ts";
import { timestamp } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Alert } from "./adapters/types.ts";

/** Returns the blocks of an alert's message: severity and title, the description, and a list of facts. */
export function alertBlocks(alert: Alert): Block[] {
  const { severity, title, description, triggered_at, details, link, is_test } = alert;
  const heading = `**${is_test ? "TEST" : severity.toUpperCase()}**${title ? ` · ${title}` : ""}`;
  const facts = Object.entries({
    Severity: severity,
    Triggered: triggered_at,
    ...details,
    ...(link && { Link: link }),
  });
  return [
    { type: "text", text: `${heading}\n\n${description}` },
    { type: "list", ordered: false, items: facts.map(([label, value]) => `${label}: ${value}`) },
  ];
}

/** Creates the message of an alert. An alert is recorded even if the guardrail withholds all of its text. */
export function alertMessage(conversationId: string, alert: Alert, parentId: string | null): Message {
  return {
    message_id: newId(),
    conversation_id: conversationId,
    role: "alert",
    content: alertBlocks(alert),
    status: "complete",
    parent_id: parentId,
    author_id: null,
    tier: null,
    model: null,
    usage: null,
    alert: { ...alert },
    created_at: timestamp(),
    edited_at: null,
  };
}
