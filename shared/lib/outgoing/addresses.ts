import ipaddr from "ipaddr.js";

/**
 * Checks whether an address is on the public internet: not private, loopback, link-local (which includes the metadata
 * services of cloud providers), multicast or reserved. An IPv4 address that is mapped into IPv6 is judged as IPv4; IPv6
 * addresses that contain one in other ways (6to4, Teredo, NAT64) are never public.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // `process` converts IPv4 addresses that are mapped into IPv6.
  const parsed = ipaddr.process(address);
  // Global addresses of IPv6 are in 2000::/3; others can contain IPv4 addresses in deprecated forms.
  const isGlobal = parsed instanceof ipaddr.IPv4 || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
  return isGlobal && parsed.range() === "unicast";
}

/**
 * Checks whether an address is in one of the ranges; false if the list is empty or the address is not valid.
 * @param ranges ranges in CIDR notation, separated by commas: `10.20.0.0/16,127.0.0.1/32`
 */
export function isInRanges(address: string, ranges: string): boolean {
  if (ranges === "" || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.split(",").some((range) => {
    if (!ipaddr.isValidCIDR(range)) return false;
    const [start, prefixLength] = ipaddr.parseCIDR(range);
    return start.kind() === parsed.kind() && parsed.match(start, prefixLength);
  });
}
