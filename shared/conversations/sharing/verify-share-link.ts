import { getSharedConversation } from "../../api/conversations/sharing.ts";
import { pathOf } from "../../api/define-route.ts";
import { findSecretOf } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import { hashCredential } from "../../auth/credentials.ts";
import { createShareToken, isShareToken } from "../../auth/share-token.ts";
import { gone, notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { findSharedView, type LinkIdentity, type SharedView } from "./share-link-store.ts";

/** Creates the id and token hash of a new link. */
export async function newLinkIdentity(): Promise<LinkIdentity> {
  const { current } = await loadAppSecrets();
  const link_id = newId();
  return { link_id, hash: hashCredential(createShareToken(current, link_id)) };
}

/** Token of a share link and the URL with it. */
export interface LinkSecret {
  readonly token: string;
  readonly url: string;
}

/** Derives the token of a link and its URL; undefined if the secret that they are derived from was removed. */
export async function findLinkSecret({ link_id, hash }: LinkIdentity): Promise<LinkSecret | undefined> {
  const derive = (secret: string) => createShareToken(secret, link_id);
  const secret = findSecretOf(await loadAppSecrets(), hash, derive);
  if (secret === undefined) return undefined;
  const token = derive(secret);
  return { token, url: pathOf(getSharedConversation, { token }) };
}

/** Returns what `findLinkSecret` finds. @throws Error if the secret of the link was removed */
export async function deriveLinkSecret(link: LinkIdentity): Promise<LinkSecret> {
  const linkSecret = await findLinkSecret(link);
  if (!linkSecret) throw new Error("The secret of the link has been removed");
  return linkSecret;
}

/** Creates the error for a link that was revoked or has expired. It does not reveal which. */
export const linkGone = () => gone("This link has expired or was revoked.");

/**
 * Verifies the token of a share link. Tokens are signed, so an expired one is recognized although nothing is stored for it.
 * @throws ServiceError `not_found` if the token was never issued, `gone` if it was revoked or has expired
 */
export async function verifyShareToken(token: string): Promise<SharedView> {
  const view = await findSharedView(hashCredential(token));
  const wasIssued = (await loadAppSecrets()).all.some((secret) => isShareToken(secret, token));
  if (view) return view;
  throw wasIssued ? linkGone() : notFound();
}
