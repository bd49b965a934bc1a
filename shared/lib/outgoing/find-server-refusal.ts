import { isIP } from "node:net";
import { findSetting, settings } from "../env.ts";
import { invalidField } from "../errors.ts";
import { isInRanges, isPublicAddress } from "./addresses.ts";
import type { OutgoingFailure } from "./guarded-request.ts";

/**
 * Returns the reason why a server that administrators of a tenant chose must not be called, or null if it may be. Public
 * servers need https and an allowed port. Servers in the ranges of `TOOL_PRIVATE_RANGES` may use any.
 */
export function findServerRefusal(address: string, { protocol, port }: URL): OutgoingFailure | null {
  if (isInRanges(address, findSetting("TOOL_PRIVATE_RANGES"))) return null;
  if (!isPublicAddress(address) || protocol !== "https:") return "address_not_allowed";
  const ports = (findSetting("TOOL_PORTS") || settings.tools.TOOL_PORTS).split(",");
  return ports.includes(port || "443") ? null : "port_not_allowed";
}

/**
 * Requires that the host of a URL is no address that requests must not reach, so that a mistake is told when the URL is stored.
 * Names are checked when they are resolved, at each request.
 * @param path path of the field in the request
 * @throws ServiceError `validation_failed` for an address that is neither public nor in `TOOL_PRIVATE_RANGES`
 */
export function requireAllowedAddress(url: string, path: string): void {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, "");
  const address = /(?:^|\.)localhost$/.test(host) ? "127.0.0.1" : host;
  if (isIP(address) === 0 || isPublicAddress(address)) return;
  if (isInRanges(address, findSetting("TOOL_PRIVATE_RANGES"))) return;
  throw invalidField(
    path,
    "address_not_allowed",
    "must be a public address, or one in the ranges of the setting TOOL_PRIVATE_RANGES",
  );
}
