import { signId, verifySignedId } from "./signed-id.ts";

const purpose = "share-link:";

/** The token of a link, so that a retried creation gives the same token although nothing in the table yields it. */
export function createShareToken(secret: string, linkId: string): string {
  return signId(secret, purpose, linkId);
}

/** Whether a text is the token of a link this deployment made at any time, be anything known of that link or not. */
export function isShareToken(secret: string, text: string): boolean {
  return verifySignedId(secret, purpose, text) !== null;
}
