import { getSharedConversationRoute } from "../../api/conversations/sharing.ts";
import { pathOf } from "../../api/define-route.ts";
import { findSecretOf } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import { hashCredential } from "../../auth/credentials.ts";
import { createShareToken, isShareToken } from "../../auth/share-token.ts";
import { gone, notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { findSharedView, type LinkIdentity, type SharedView } from "./share-link-store.ts";

/** Returns the id and the token hash of a new link. The token itself is not stored. */
export async function newLinkIdentity(): Promise<LinkIdentity> {
  const { current } = await loadAppSecrets();
  const link_id = newId();
  return { link_id, hash: hashCredential(createShareToken(current, link_id)) };
}

interface LinkSecret {
  readonly token: string;
  readonly url: string;
}

/**
 * Derives the token and the URL of a link from the deployment's secret. Returns undefined if that secret was removed in
 * a rotation.
 */
export async function findLinkSecret({ link_id, hash }: LinkIdentity): Promise<LinkSecret | undefined> {
  const derive = (secret: string) => createShareToken(secret, link_id);
  const secret = findSecretOf(await loadAppSecrets(), hash, derive);
  if (secret === undefined) return undefined;
  const token = derive(secret);
  return { token, url: pathOf(getSharedConversationRoute, { token }) };
}

/**
 * Returns the token and the URL of a link.
 * @throws Error if the secret from which they were derived was removed
 */
export async function deriveLinkSecret(link: LinkIdentity): Promise<LinkSecret> {
  const linkSecret = await findLinkSecret(link);
  if (!linkSecret) throw new Error("The secret of the link has been removed");
  return linkSecret;
}

/** Returns the error for a link that was revoked or has expired, without telling which. */
export const linkGone = () => gone("This link has expired or was revoked.");

/**
 * Verifies the token of a share link. Tokens are signed, so that an expired one is recognized although its lookup is
 * deleted.
 * @throws ServiceError `not_found` if the token was never issued, `gone` if it was revoked or has expired
 */
export async function verifyShareToken(token: string): Promise<SharedView> {
  const view = await findSharedView(hashCredential(token));
  const wasIssued = (await loadAppSecrets()).all.some((secret) => isShareToken(secret, token));
  if (view) return view;
  throw wasIssued ? linkGone() : notFound();
}
