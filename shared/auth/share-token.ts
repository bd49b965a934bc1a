import { signId, verifySignedId } from "./signed-id.ts";

const purpose = "share-link:";

/** Derives the token of a share link. A retried creation returns the same token, although the table does not contain it. */
export function createShareToken(secret: string, linkId: string): string {
  return signId(secret, purpose, linkId);
}

/** Checks that this deployment issued a token, even if its link no longer exists. */
export function isShareToken(secret: string, text: string): boolean {
  return verifySignedId(secret, purpose, text) !== null;
}
