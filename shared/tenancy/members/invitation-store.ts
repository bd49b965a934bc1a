import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { Invitation } from "../../api/tenancy/invitations.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { deleteExistingItem } from "../../dynamodb/required-item.ts";
import { allOf, anyOf, equals, exists } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound, requireFound, ServiceError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hash.ts";
import { newId } from "../../lib/ids.ts";

const MAX_INVITATIONS = 100;
const DAY_MS = 86_400_000;

/** Retention of an invitation after its expiry, in days. */
const RETENTION_DAYS = 30;

/**
 * Time during which the user who accepted an invitation can accept it again, in case the first request failed halfway.
 */
const REPETITION_MS = 300_000;

const PREFIX = "swi_";
const tokenPattern = /^swi_([0-9a-f-]{36})_([\w-]{43})$/;

const { status: _, ...storedEntries } = Invitation.entries;
const readStored = itemReader(v.object({ ...storedEntries, hash: v.string() }));
type StoredInvitation = ReturnType<typeof readStored>;

interface NewInvitation {
  readonly note: string;
  readonly expires_in_days: number;
  readonly group_ids: readonly string[];
  readonly is_administrator: boolean;
  /** Id of the inviting user; null for the operator of the deployment. */
  readonly created_by: string | null;
}

const isExpired = ({ expires_at }: StoredInvitation) => Date.parse(expires_at) <= now();

function toInvitation(stored: StoredInvitation): Invitation {
  const pending = isExpired(stored) ? "expired" : "pending";
  return { ...stored, status: stored.accepted_by === null ? pending : "accepted" };
}

/** Returns all invitations of a tenant, newest first, including expired and accepted ones. */
export async function listInvitations(scope: TenantScope): Promise<Invitation[]> {
  const { pk } = keys.invitation(scope.tenantId, "");
  const items = await tenantTable(scope).query({ pk, descending: true, consistent: true });
  return items.map((item) => toInvitation(readStored(item)));
}

/**
 * Creates an invitation. No e-mail is sent, see `shared/api/tenancy/invitations.ts`. The table contains only a
 * hash of its token, which has 256 random bits.
 * @throws ServiceError `conflict` if the tenant has `MAX_INVITATIONS` invitations
 */
export async function createInvitation(
  scope: TenantScope,
  { expires_in_days, group_ids, ...properties }: NewInvitation,
): Promise<{ readonly invitation: Invitation; readonly token: string }> {
  if ((await listInvitations(scope)).length >= MAX_INVITATIONS) {
    throw new ServiceError("conflict", `A tenant has at most ${MAX_INVITATIONS} invitations. Revoke some first.`);
  }
  const expiresAtMs = now() + expires_in_days * DAY_MS;
  const token = `${PREFIX}${newId()}_${randomBytes(32).toString("base64url")}`;
  const stored: StoredInvitation = {
    id: token.slice(PREFIX.length, PREFIX.length + 36),
    ...properties,
    group_ids: [...new Set(group_ids)],
    hash: sha256(token),
    expires_at: timestamp(expiresAtMs),
    accepted_by: null,
    accepted_at: null,
    created_at: timestamp(),
  };
  await tenantTable(scope).write({
    put: {
      ...keys.invitation(scope.tenantId, stored.id),
      discriminator: "invitation",
      timestamp: now(),
      ttl: Math.floor(expiresAtMs / 1_000) + (RETENTION_DAYS * DAY_MS) / 1_000,
      ...stored,
    },
  });
  return { invitation: toInvitation(stored), token };
}

/** @throws ServiceError `not_found` */
export async function revokeInvitation(scope: TenantScope, id: string): Promise<void> {
  await deleteExistingItem(scope, keys.invitation(scope.tenantId, id));
}

/**
 * Returns the invitation of a token. It must be open, or accepted by the same user less than five minutes ago.
 * @throws ServiceError `not_found`
 */
export async function findAcceptable(scope: UserScope, token: string): Promise<Invitation> {
  const id = tokenPattern.exec(token)?.[1];
  const item = requireFound(
    id && (await tenantTable(scope).get(keys.invitation(scope.tenantId, id), { consistent: true })),
  );
  const stored = readStored(item);
  const isRepeated =
    stored.accepted_by === scope.userId && now() - Date.parse(stored.accepted_at ?? "") < REPETITION_MS;
  const isOpen = stored.accepted_by === null ? !isExpired(stored) : isRepeated;
  if (stored.hash !== sha256(token) || !isOpen) throw notFound();
  return toInvitation(stored);
}

/**
 * Records that the user accepted an invitation.
 * @throws ServiceError `not_found` if another user accepted it first, or it was revoked
 */
export async function markAccepted(scope: UserScope, { id }: Invitation): Promise<void> {
  const { userId: user } = scope;
  await tenantTable(scope).write({
    update: keys.invitation(scope.tenantId, id),
    set: { accepted_by: user, accepted_at: timestamp() },
    condition: allOf([exists(), anyOf([equals({ accepted_by: null }), equals({ accepted_by: user })])], notFound),
  });
}
