import { requireSignature } from "#shared/channels/signatures.ts";
import { authorizer } from "#shared/http/authorizer.ts";

// The endpoint verifies the signature, because the authorizer does not receive the body.
export const handler = authorizer(async (headers) => {
  requireSignature(headers);
  return { tenantId: "unknown" };
});
