import type { DecisionRequest } from "../messengers/client.ts";

const run = (text: string, style: Readonly<Record<string, unknown>> = {}) => ({ type: "TextRun", text, ...style });

/** Returns a paragraph without Markdown, because a model wrote the parameters that it shows. */
const paragraph = (...inlines: readonly unknown[]) => ({ type: "RichTextBlock", inlines });

const button = (verb: "approve" | "deny", title: string, style: string, approval_id: string) => ({
  type: "Action.Execute",
  verb,
  title,
  style,
  data: { approval_id },
});

/**
 * Returns a message with an Adaptive Card that describes an action.
 * @param approvalId approval that the buttons decide; undefined to show no buttons
 * @see https://learn.microsoft.com/adaptive-cards/authoring-cards/universal-action-model
 */
export function decisionCard(heading: string, { title, parameters }: DecisionRequest, approvalId?: string) {
  const actions =
    approvalId === undefined
      ? []
      : [button("approve", "Approve", "positive", approvalId), button("deny", "Deny", "destructive", approvalId)];
  const content = {
    $schema: "https://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      paragraph(run(heading)),
      paragraph(run(title, { weight: "Bolder" })),
      paragraph(run(parameters, { fontType: "Monospace" })),
    ],
    actions,
  };
  return { type: "message", attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }] };
}
