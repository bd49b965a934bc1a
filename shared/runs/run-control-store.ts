import * as v from "valibot";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../lib/clock.ts";
import { RUN_LOG_TTL_SECONDS } from "./run-log-store.ts";

/** Signals between the function that executes a run and other functions. */
export interface RunControl {
  /** Request to end the run. */
  readonly stop?: boolean | undefined;
  /** Epoch milliseconds until which readers follow the log, so that the run writes it more often. */
  readonly followed_until?: number | undefined;
  /** Epoch milliseconds of the last heartbeat. */
  readonly alive_at?: number | undefined;
  /**
   * Epoch milliseconds until which the run may stay paused: until its approval, or the time for its hand-over, expires.
   * 0 after it has resumed.
   */
  readonly waits_until?: number | undefined;
  /** Id of the approval or hand-over after which the run last resumed. */
  readonly resumed_by?: string | undefined;
}

const readRunControlItem = itemReader(
  v.object({
    stop: v.optional(v.boolean()),
    followed_until: v.optional(v.number()),
    alive_at: v.optional(v.number()),
    waits_until: v.optional(v.number()),
    resumed_by: v.optional(v.string()),
  }),
);

/** Reads the control item of a run; returns an empty object if there is none, as for most runs. */
export async function readRunControl(
  scope: TenantScope,
  messageId: string,
  { consistent = false } = {},
): Promise<RunControl> {
  const item = await tenantTable(scope).get(keys.runControl(scope.tenantId, messageId), { consistent });
  return item ? readRunControlItem(item) : {};
}

/** Sets the given attributes of a run's control item. The others keep their values. */
export async function writeRunControl(scope: TenantScope, messageId: string, control: RunControl): Promise<void> {
  await tenantTable(scope).write(runControlWrite(scope, messageId, control));
}

/** Returns the write of `writeRunControl`, for use in a transaction. */
export function runControlWrite(scope: TenantScope, messageId: string, control: RunControl): Write {
  return {
    update: keys.runControl(scope.tenantId, messageId),
    set: { ...control, ttl: expiresAfter(RUN_LOG_TTL_SECONDS) },
    setIfAbsent: { discriminator: "run-control" },
  };
}
