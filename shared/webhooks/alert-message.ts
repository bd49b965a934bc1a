import type { Block } from "../api/blocks.ts";
import type { Message } from "../api/conversations/messages.ts";
import { timestamp } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { adapterLabels } from "./adapters/adapters.ts";
import type { Alert } from "./adapters/types.ts";

/** Labels of the facts that a message lists first, in this order. */
const leadingLabels = ["Event", "State", "Priority", "Urgency", "Service", "Assigned to", "Resolve reason", "Note"];

/**
 * Sorts facts: those with leading labels first, the others by label. Stored facts have no order, because DynamoDB does
 * not keep that of a map.
 */
function sortFacts(facts: Alert["details"]): (readonly [label: string, value: string])[] {
  const rank = (label: string) => (leadingLabels.includes(label) ? leadingLabels.indexOf(label) : leadingLabels.length);
  return Object.entries(facts).sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b, "en"));
}

/** Returns the content of an alert's message: severity and title, the description, and a list of facts. */
export function alertBlocks(alert: Alert): Block[] {
  const { provider, severity, title, description, triggered_at, details, link, is_test } = alert;
  const heading = `**${is_test ? "TEST" : severity.toUpperCase()}**${title ? ` · ${title}` : ""}`;
  const facts = [
    ["Severity", severity],
    ["Triggered", triggered_at],
    ["Provider", adapterLabels[provider]],
    ...sortFacts(details),
    ["Link", link],
  ];
  return [
    { type: "text", text: `${heading}\n\n${description}` },
    {
      type: "list",
      ordered: false,
      items: facts.flatMap(([label, value]) => (value ? [`${label}: ${value}`] : [])),
    },
  ];
}

/** Returns the message for an alert, which is not stored yet. */
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
