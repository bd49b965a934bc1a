import { createHash, timingSafeEqual } from "node:crypto";
import { parseRotatedSecret } from "../auth/accepted-secrets.ts";
import { env } from "../lib/env.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { loadSecretVersion, reloadSecretVersion } from "../lib/secrets.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Returns true if a text is the current or the previous value of a secret. The comparison takes constant time. */
function isAccepted(secret: string, text: string): boolean {
  const { current, previous } = parseRotatedSecret(secret);
  const accepted = [current, previous].filter((value) => value !== "");
  return accepted.some((value) => timingSafeEqual(digest(text), digest(value)));
}

const setting = () => env("ORIGIN_SECRET").ORIGIN_SECRET;
const loadOriginSecret = async () => loadSecretVersion(setting());

/**
 * Returns true if a request has a valid origin secret, which only CloudFront sends. After a rotation, the previous value is
 * also accepted until all CloudFront locations send the new one; a value that is neither makes the function read the secret
 * again.
 * @throws Error if the secret has never been read and cannot be read
 */
export async function isFromCloudFront(headers: RequestHeaders): Promise<boolean> {
  const text = headers["x-origin-secret"];
  if (!text) return false;
  const loaded = await loadOriginSecret();
  return isAccepted(loaded.value, text) || isAccepted((await reloadSecretVersion(setting())).value, text);
}

// Starts the read while the function initializes. If it fails, the first request repeats it.
loadOriginSecret().catch(() => {});
