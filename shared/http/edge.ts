import { createHash, timingSafeEqual } from "node:crypto";
import ipaddr from "ipaddr.js";
import { env } from "../env.ts";
import type { Headers } from "./http-request.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Whether a request came through CloudFront, which shows its secret; compared in constant time. */
export function cameThroughEdge(headers: Headers): boolean {
  const { ORIGIN_SECRET } = env("ORIGIN_SECRET");
  return timingSafeEqual(digest(headers["x-origin-secret"] ?? ""), digest(ORIGIN_SECRET));
}

/**
 * Where a client calls from, for limits to go by: what CloudFront says, or else the peer, for whoever goes round
 * CloudFront may say anything.
 * @param peer address of who is connected to AWS
 */
export function clientNetwork(headers: Headers, peer: string): string {
  return networkOf((cameThroughEdge(headers) && headers["x-viewer-address"]) || peer);
}

/** An IPv4 address as it is; of an IPv6 one the /64, in which one client has any number of addresses (RFC 6177). */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString();
}
