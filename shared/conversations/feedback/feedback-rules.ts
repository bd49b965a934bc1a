import { createHmac } from "node:crypto";
import type { Message } from "../../api/conversations/messages.ts";
import { invalidField } from "../../lib/errors.ts";

/**
 * What is kept of a question: equal questions of a tenant have equal hashes, and without the deployment's secret
 * nobody can try out which question it was.
 */
export function queryHash(secret: string, tenantId: string, query: string): string {
  return createHmac("sha256", secret).update(`feedback-query:${tenantId}\n`).update(query).digest("hex");
}

/** @throws ServiceError `validation_failed` for a message that is no answer */
export function checkRateable({ role }: Pick<Message, "role">): void {
  if (role === "assistant") return;
  throw invalidField({ path: "message_id", location: "body", code: "not_an_answer", message: "must be an answer" });
}
