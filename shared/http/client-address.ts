import { createHash, timingSafeEqual } from "node:crypto";
import ipaddr from "ipaddr.js";
import { env } from "../lib/env.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Returns true if a request has a valid origin secret, which only CloudFront sends. The comparison takes constant time.
 * After a rotation, the previous secret is also accepted until all CloudFront locations send the new one.
 */
export function isFromCloudFront(headers: RequestHeaders): boolean {
  const { ORIGIN_SECRET } = env("ORIGIN_SECRET");
  const received = digest(headers["x-origin-secret"] ?? "");
  const accepted = ORIGIN_SECRET.split(",").filter((secret) => secret !== "");
  return accepted.some((secret) => timingSafeEqual(received, digest(secret)));
}

/**
 * Normalizes a client address for rate limiting. An IPv6 address is reduced to its /64, because a client chooses and
 * rotates the lower half itself (RFC 4291 section 2.5.1, RFC 8981).
 */
export function toRateLimitAddress(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString();
}
