import { createHash, timingSafeEqual } from "node:crypto";
import ipaddr from "ipaddr.js";
import { env } from "../lib/env.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Whether a request came through CloudFront, which shows its secret; compared in constant time. */
export function isFromCloudFront(headers: RequestHeaders): boolean {
  const { ORIGIN_SECRET } = env("ORIGIN_SECRET");
  return timingSafeEqual(digest(headers["x-origin-secret"] ?? ""), digest(ORIGIN_SECRET));
}

/**
 * An address for limits to go by: an IPv4 one as it is, of an IPv6 one its /64, for the other half is each client's own
 * to choose and to change (RFC 4291 section 2.5.1, RFC 8981).
 */
export function toRateLimitAddress(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString();
}
