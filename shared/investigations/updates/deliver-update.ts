import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { MAX_DELAY_SECONDS } from "../../lib/aws/sqs.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { findServerRefusal } from "../../lib/outgoing/find-server-refusal.ts";
import { OutgoingError, readBounded, requestGuarded } from "../../lib/outgoing/guarded-request.ts";
import { parseRetryAfter } from "../../lib/outgoing/retry-after.ts";
import { findWebhookChannelOfTenant, type StoredWebhookChannel } from "../../webhooks/webhook-channel-store.ts";
import { anyStatus, changeInvestigation, markAcknowledged } from "../investigation-store.ts";
import { type CallProvider, ProviderError } from "./provider.ts";
import { providers } from "./providers.ts";
import { scheduleUpdate, type UpdateJob } from "./schedule-update.ts";
import { changeUpdate, findUpdate, type StoredUpdate } from "./update-store.ts";
import { openWriteBackSecret } from "./write-back-settings.ts";

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 1_048_576;

/** Time for which an attempt owns the update. It is longer than all requests of one attempt. */
const LEASE_SECONDS = 45;

/**
 * Delays before further attempts in seconds, without jitter. After the last one, the update fails, because an outdated
 * update confuses more than it helps.
 */
const pauses = [5, 30, 120, 600, 1_800];

/** Outcome of an attempt: `error` is null on success, `isFinal` is true if retries are useless. */
interface AttemptResult {
  readonly error: string | null;
  readonly isFinal?: boolean;
  readonly waitSeconds?: number;
}

function callerOf(channel: StoredWebhookChannel, secret: string): CallProvider {
  const { write_back } = channel;
  if (!write_back) throw new Error("channel writes nothing back");
  const { provider, url } = write_back;
  return async (method, path, body) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await requestGuarded(url + path, {
      method,
      headers: {
        accept: "application/json",
        "user-agent": "Switchboard/1.0",
        ...(body && { "content-type": "application/json" }),
        ...providers[provider].headersOf(secret, write_back),
      },
      ...(body && { body: JSON.stringify(body) }),
      findRefusal: findServerRefusal,
      redirects: "none",
      signal,
    });
    const text = (await readBounded(response, MAX_RESPONSE_BYTES, signal, true)).toString("utf8");
    if (response.status < 200 || response.status >= 300) {
      throw new ProviderError(response.status, parseRetryAfter(response.headers["retry-after"]));
    }
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  };
}

async function attempt(scope: TenantScope, update: StoredUpdate): Promise<AttemptResult> {
  const channel = await findWebhookChannelOfTenant(scope, update.channel_id);
  const settings = channel?.write_back;
  if (!settings || settings.provider !== update.provider || settings.url !== update.url) {
    return { error: "settings changed", isFinal: true };
  }
  try {
    const secret = await openWriteBackSecret(channel);
    const toWrite = { ...update, isRepeated: update.attempts > 0 };
    await providers[settings.provider].write(callerOf(channel, secret), toWrite, secret);
    return { error: null };
  } catch (error) {
    if (error instanceof ProviderError) {
      return { error: error.message, isFinal: !error.isTemporary, waitSeconds: error.retryAfterSeconds };
    }
    if (!(error instanceof OutgoingError)) throw error;
    return { error: error.code, isFinal: ["address_not_allowed", "port_not_allowed"].includes(error.code) };
  }
}

/** Stores the state that the update has set, because not all monitoring tools send an event about it. */
async function applyUpdate(scope: TenantScope, { investigation_id: id, conversation_id, action }: StoredUpdate) {
  const ref = { id, conversation_id };
  if (action === "acknowledge") await markAcknowledged(scope, ref);
  if (action !== "resolve") return;
  await changeInvestigation(scope, ref, anyStatus, { state: "resolved", resolved_at: timestamp() });
}

/**
 * Sends an update to the monitoring tool if it is due, and schedules a retry if that fails. Each attempt takes a lease
 * first, so that concurrent jobs send the update once. An attempt after a crash first checks whether the earlier one
 * has arrived.
 */
export async function deliverUpdate(job: UpdateJob): Promise<void> {
  const scope = { tenantId: job.tenantId };
  const update = await findUpdate(scope, job.update);
  if (update?.status !== "pending") return;
  const waitSeconds = Math.ceil((Date.parse(update.next_attempt_at ?? "") - now()) / 1_000);
  if (waitSeconds > 0) return scheduleUpdate(job, waitSeconds);
  const attempts = update.attempts + 1;
  const leased = { attempts, next_attempt_at: timestamp(now() + LEASE_SECONDS * 1_000) };
  if (!(await changeUpdate(scope, update, leased))) return;
  const taken = { ...update, ...leased };
  const { error, isFinal, waitSeconds: retryAfter = 0 } = await attempt(scope, update);
  if (error === null) {
    await applyUpdate(scope, update);
    const end = { status: "delivered", error, next_attempt_at: null, delivered_at: timestamp() } as const;
    await changeUpdate(scope, taken, end);
    return;
  }
  const pause = isFinal ? undefined : pauses[attempts - 1];
  if (pause === undefined) {
    await changeUpdate(scope, taken, { status: "failed", error, next_attempt_at: null });
    return;
  }
  const seconds = Math.ceil(Math.max(pause * (1 + Math.random() / 5), Math.min(retryAfter, MAX_DELAY_SECONDS)));
  if (await changeUpdate(scope, taken, { error, next_attempt_at: timestamp(now() + seconds * 1_000) })) {
    await scheduleUpdate(job, seconds);
  }
}
