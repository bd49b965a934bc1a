import { keys } from "../../dynamodb/keys.ts";
import { absent, type Write } from "../../dynamodb/table.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../../lib/clock.ts";
import { sha256 } from "../../lib/hash.ts";

/** Retention of the markers of counted replies. It must exceed the retention of DynamoDB Streams. */
const MARKER_TTL_SECONDS = 3 * 24 * 3_600;

/**
 * Returns the write that marks a reply or change as counted. The id is hashed, because the marker can outlive a deleted
 * reply.
 */
export const countedMarkerWrite = ({ tenantId }: TenantScope, id: string): Write => ({
  put: { ...keys.counted(tenantId, sha256(id)), discriminator: "counted", ttl: expiresAfter(MARKER_TTL_SECONDS) },
  condition: absent(),
});
