import type { Usage } from "../api/messages.ts";
import { expiry, now, timestamp } from "../clock.ts";
import { keys } from "./keys.ts";
import { type TenantScope, tableOf } from "./tenant-scope.ts";

/** What one call of the OpenAI-compatible surface took; what was said in it is not kept. */
export interface CompletionRecord {
  readonly id: string;
  readonly key_id: string;
  readonly persona_id: string;
  readonly usage: Usage;
}

/** How long single calls are known, in seconds; what is added up of them stays. */
const kept = 90 * 24 * 3_600;

/** Notes what a call took, once. */
export async function recordCompletion(scope: TenantScope, record: CompletionRecord): Promise<void> {
  await tableOf(scope).write({
    put: {
      ...keys.completion(scope.tenantId, record.id),
      discriminator: "completion",
      timestamp: now(),
      ttl: expiry(kept),
      created_at: timestamp(),
      ...record,
    },
  });
}
