import type { UsageCorrection } from "../../api/tenancy/usage-corrections.ts";
import { keys } from "../../dynamodb/keys.ts";
import { absent } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import type { CountableReply } from "./count-reply-usage.ts";

/**
 * Stores a correction of recorded costs, which the change feed then counts.
 * @throws ServiceError `conflict` if a correction with this id exists
 */
export async function createCorrection(
  scope: TenantScope,
  { id = newId(), ...fields }: Omit<UsageCorrection, "id" | "created_at"> & { readonly id?: string | undefined },
): Promise<UsageCorrection> {
  const correction = { id, ...fields, created_at: timestamp() };
  const key = keys.usageCorrection(scope.tenantId, id);
  const onConditionFailed = () => new ServiceError("conflict", "There is a correction with this id already.");
  await tenantTable(scope).write({
    put: { ...key, discriminator: "usage-correction", timestamp: now(), ...correction },
    condition: absent(onConditionFailed),
  });
  return correction;
}

/** Converts a correction to a reply without requests and tokens, so that it is counted like other usage. */
export function toCountable({ pk, ...correction }: UsageCorrection & { readonly pk: string }): CountableReply {
  const { id, day, model, user_id, key_id, persona_id, cost_usd } = correction;
  return {
    ...{ pk, id, persona_id, calls: 0 },
    ...(user_id !== null && { asked_by: user_id }),
    ...(key_id !== null && { key_id }),
    created_at: `${day}T12:00:00.000Z`,
    usage: { model, input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd },
  };
}
