import { createHmac } from "node:crypto";
import type { Feedback } from "../../api/conversations/feedback.ts";
import type { Message } from "../../api/conversations/messages.ts";
import { invalidField } from "../../lib/errors.ts";
import { recordMetrics } from "../../lib/metrics.ts";

/**
 * Hashes the text of a question, because feedback must not store it. Equal questions of a tenant have equal hashes. The
 * key prevents guessing questions without the deployment's secret.
 */
export function hashQuery(secret: string, tenantId: string, query: string): string {
  return createHmac("sha256", secret).update(`feedback-query:${tenantId}\n`).update(query).digest("hex");
}

/**
 * Checks that feedback has a rating or reports wrong findings, and that the reported rules had findings in the message.
 * @throws ServiceError `validation_failed`
 */
export function requireFeedback(
  { rating, wrong_rules = [] }: Pick<Feedback, "rating"> & { readonly wrong_rules?: readonly string[] },
  { checks = [] }: Pick<Message, "checks">,
): void {
  if (rating === null && wrong_rules.length === 0) {
    throw invalidField("rating", "required", "is required without wrong_rules");
  }
  const known = new Set(checks.flatMap(({ rules, categories }) => [...rules, ...categories]));
  const index = wrong_rules.findIndex((rule) => !known.has(rule));
  if (index < 0) return;
  throw invalidField(`wrong_rules.${index}`, "unknown_rule", "must be a rule or category of the checks of the message");
}

/** @throws ServiceError `validation_failed` if the message is not an answer */
export function requireRateableMessage({ role }: Pick<Message, "role">): void {
  if (role === "assistant") return;
  throw invalidField("message_id", "not_an_answer", "must be an answer");
}

/**
 * Counts newly reported wrong findings in a metric. The rules are only in the log line, because they have too many
 * values for a dimension.
 */
export function countReports({ wrong_rules }: Feedback, earlier?: Feedback): void {
  const rules = wrong_rules.filter((rule) => !earlier?.wrong_rules.includes(rule));
  if (rules.length === 0) return;
  recordMetrics({
    metrics: { guardrail_reported_wrong: rules.length },
    fields: { level: "info", message: "guardrail findings reported as wrong", rules },
  });
}

/**
 * Returns feedback that replaces an earlier one of the same user. Fields that the request does not contain keep their
 * earlier values: the rating with its comment, or the reports of wrong findings.
 * @param sent fields of the request
 */
export function mergeFeedback(
  earlier: Feedback,
  feedback: Feedback,
  sent: Pick<Feedback, "rating"> & Partial<Pick<Feedback, "wrong_rules">>,
): Feedback {
  const { id, created_at, rating, category, comment, query_hash, wrong_rules } = earlier;
  return {
    ...feedback,
    id,
    created_at,
    ...(sent.rating === null && { rating, category, comment, query_hash }),
    ...(sent.wrong_rules === undefined && { wrong_rules }),
  };
}
