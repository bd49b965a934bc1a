import { authorizer } from "#shared/auth/authorizer.ts";
import { checkSignaturePresent } from "#shared/auth/webhook.ts";

// The endpoint itself verifies the signature, for only it sees the body.
export const handler = authorizer(async (headers) => {
  await checkSignaturePresent(headers);
  return { tenantId: "unknown" };
});
