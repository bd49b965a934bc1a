import { verifyDeploymentKey } from "#shared/auth/verify-deployment-key.ts";
import { authorizer } from "#shared/http/authorizer.ts";

export const handler = authorizer(verifyDeploymentKey);
