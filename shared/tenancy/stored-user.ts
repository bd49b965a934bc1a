import * as v from "valibot";
import { toIdentityValue } from "../api/user-ids.ts";
import { type Identity, isPersonId } from "../auth/principal.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { now, timestamp } from "../lib/clock.ts";

/** SCIM attributes that an identity provider wrote, except `active`. */
const ProvisionedProfile = v.object({
  attributes: v.record(v.string(), v.unknown()),
  modified_at: v.string(),
});

const StoredUser = v.object({
  user_id: v.string(),
  /** Value of the identity provider if the id does not contain it. */
  external_id: v.optional(v.string()),
  /** Names of the roles in the user's latest token. A user whom only API keys have named has the role `member`. */
  roles: v.array(v.string()),
  /** Names of the groups in the latest token that had a claim with groups. */
  token_groups: v.array(v.string()),
  name: v.nullable(v.string()),
  email: v.nullable(v.string()),
  last_seen_at: v.nullable(v.string()),
  /** Time of the deactivation; null for an active user. */
  deactivated_at: v.nullable(v.string()),
  /** Profile that an identity provider provisioned with SCIM; null for all other users. */
  scim: v.nullable(ProvisionedProfile),
  /** Time at which the identity provider deleted the user; null again once the user is reactivated. */
  deprovisioned_at: v.nullable(v.string()),
  /** Version number. Changes that a token causes do not increment it. */
  version: v.number(),
  /** True for a person whom an API key created, until the person signs in or an identity provider provisions the person. */
  key_managed: v.boolean(),
  /** Time of the latest use of each API key on behalf of the person, within an hour. */
  key_uses: v.record(v.string(), v.string()),
  /** Actor of the latest change. */
  changed_by: v.optional(v.string()),
  created_at: v.string(),
});
/** User of a tenant. The item is created by the user's first request or by an identity provider. */
export type StoredUser = v.InferOutput<typeof StoredUser>;

/** Properties of a user that a token contains. */
export type Profile = Pick<StoredUser, "roles" | "name" | "email"> & Partial<Pick<StoredUser, "token_groups">>;

export const readUser = itemReader(StoredUser);

/** Returns the value by which the identity provider, and so people, know a user. */
export const externalIdOf = ({ user_id, external_id }: StoredUser): string => external_id ?? toIdentityValue(user_id);

/** Returns a new active user who has made no request yet. @param at time of creation */
export const newUser = ({ userId, externalId }: Identity, profile: Profile, at: string): StoredUser => ({
  user_id: userId,
  ...(externalId !== undefined && { external_id: externalId }),
  token_groups: [],
  ...profile,
  last_seen_at: null,
  deactivated_at: null,
  scim: null,
  deprovisioned_at: null,
  version: 0,
  key_managed: false,
  key_uses: {},
  created_at: at,
});

/** Profile of users who were first named by an API key and not by a token. */
export const defaultProfile: Profile = { roles: ["member"], name: null, email: null };

/** Returns true if API keys can act for a user: a person whom a key created and who has never signed in. */
export const isKeyManaged = ({ user_id, key_managed }: StoredUser): boolean => isPersonId(user_id) && key_managed;

const MAX_KEY_USES = 20;

/** Precision of the times of use. Many requests cause one write per hour. */
const SEEN_PRECISION_MS = 3_600_000;

export const wasSeenLately = (at: string | null | undefined): boolean =>
  at !== null && at !== undefined && now() - Date.parse(at) < SEEN_PRECISION_MS;

/** Returns the uses of keys with one more: those of the latest 20 keys. */
function addKeyUse(uses: StoredUser["key_uses"], keyId: string): StoredUser["key_uses"] {
  if (wasSeenLately(uses[keyId])) return uses;
  const { [keyId]: _, ...others } = uses;
  return Object.fromEntries([[keyId, timestamp()], ...Object.entries(others).sort(byLatest)].slice(0, MAX_KEY_USES));
}

const byLatest = ([, a]: readonly [string, string], [, b]: readonly [string, string]) => b.localeCompare(a);

/** Properties of a user that a request records. */
type Recorded = Required<Profile> & Pick<StoredUser, "external_id" | "key_managed" | "key_uses">;

/**
 * Returns the properties that a request records. Name and email that an identity provider provisioned take precedence
 * over those of a token.
 */
export function toRecorded(user: StoredUser, { externalId, profile, keyId }: UserAdmission): Recorded {
  const { roles, name, email, token_groups = user.token_groups } = profile ?? user;
  const ofToken = user.scim ? { name: user.name ?? name, email: user.email ?? email } : { name, email };
  const key_uses = keyId === undefined ? user.key_uses : addKeyUse(user.key_uses, keyId);
  const key_managed = profile === undefined && isKeyManaged(user);
  return { external_id: externalId ?? user.external_id, roles, ...ofToken, token_groups, key_managed, key_uses };
}

/** Request of a user: with the profile of the user's token, or with the API key that acts for the user. */
export type UserAdmission = { readonly externalId?: string | undefined } & (
  | { readonly profile: Profile; readonly keyId?: undefined }
  | { readonly profile?: undefined; readonly keyId: string }
);
