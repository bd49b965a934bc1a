import { createHash, timingSafeEqual } from "node:crypto";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { loadSecretVersion } from "../lib/secrets.ts";
import { parseRotatedSecret } from "./accepted-secrets.ts";
import { bearerKey } from "./credentials.ts";
import type { DeploymentPrincipal } from "./principal.ts";

const hash = (text: string) => createHash("sha256").update(text).digest();

/**
 * Verifies that the bearer token is the deployment key, or the previous key after a rotation.
 * @throws ServiceError `unauthorized`
 */
export async function verifyDeploymentKey(headers: RequestHeaders): Promise<DeploymentPrincipal> {
  const text = bearerKey(headers);
  if (text === "") throw new ServiceError("unauthorized", "Send `Authorization: Bearer <deployment key>`.");
  const { value } = await loadSecretVersion(env("DEPLOYMENT_KEY").DEPLOYMENT_KEY);
  const { current, previous } = parseRotatedSecret(value);
  const accepted = [current, previous].filter((secret) => secret !== "");
  if (!accepted.some((secret) => timingSafeEqual(hash(secret), hash(text)))) {
    throw new ServiceError("unauthorized", "The deployment key is invalid.");
  }
  return { kind: "deployment", tenantId: "~deployment", keyId: "key", expiresAt: null };
}
