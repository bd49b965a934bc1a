import { createHmac } from "node:crypto";
import type { Message } from "../../api/conversations/messages.ts";
import { invalidField } from "../../lib/errors.ts";

/**
 * Hashes the text of a question, which is not stored. Equal questions of a tenant have equal hashes. The keyed hash
 * prevents guessing a question without the deployment secret.
 */
export function hashQuery(secret: string, tenantId: string, query: string): string {
  return createHmac("sha256", secret).update(`feedback-query:${tenantId}\n`).update(query).digest("hex");
}

/** @throws ServiceError `validation_failed` unless the message is an answer */
export function requireRateableMessage({ role }: Pick<Message, "role">): void {
  if (role === "assistant") return;
  throw invalidField({ path: "message_id", location: "body", code: "not_an_answer", message: "must be an answer" });
}
