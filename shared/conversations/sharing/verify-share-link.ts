import { getSharedConversation } from "../../api/conversations/sharing.ts";
import { pathOf } from "../../api/define-route.ts";
import { appSecret } from "../../auth/app-secret.ts";
import { hashCredential } from "../../auth/credentials.ts";
import { createShareToken, isShareToken } from "../../auth/share-token.ts";
import { gone, notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { findSharedView, type LinkIdentity, type SharedView } from "./share-link-store.ts";

/** The identity of a link that is yet to be made. */
export function newLinkIdentity(): LinkIdentity {
  const link_id = newId();
  return { link_id, hash: hashCredential(createShareToken(appSecret(), link_id)) };
}

/** A link's secret, for who made it: the token, and where it leads. */
export function linkSecret(linkId: string): { readonly token: string; readonly url: string } {
  const token = createShareToken(appSecret(), linkId);
  return { token, url: pathOf(getSharedConversation, { token }) };
}

/** What a link that does not work any more is answered with; nothing in it tells why. */
export const linkGone = () => gone("This link has expired or was revoked.");

/**
 * What the token of a link shows. One that is not found but was made here did work once: nothing has to be kept to know.
 * @throws ServiceError `not_found` for a text that never was a token, `gone` for one that is none any more
 */
export async function verifyShareToken(token: string): Promise<SharedView> {
  const view = await findSharedView(hashCredential(token));
  const genuine = isShareToken(appSecret(), token);
  if (view) return view;
  throw genuine ? linkGone() : notFound();
}
