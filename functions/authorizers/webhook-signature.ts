import { checkSignaturePresent } from "#shared/channels/verify-webhook.ts";
import { authorizer } from "#shared/http/authorizer.ts";

// The endpoint verifies the signature, because the authorizer does not receive the body.
export const handler = authorizer(async (headers) => {
  await checkSignaturePresent(headers);
  return { tenantId: "unknown" };
});
