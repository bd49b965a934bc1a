import { checkSignaturePresent } from "#shared/channels/verify-webhook.ts";
import { authorizer } from "#shared/http/authorizer.ts";

// The endpoint itself verifies the signature, for only it sees the body.
export const handler = authorizer(async (headers) => {
  await checkSignaturePresent(headers);
  return { tenantId: "unknown" };
});
