import ipaddr from "ipaddr.js";

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
