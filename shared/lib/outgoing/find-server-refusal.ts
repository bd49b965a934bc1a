import { findSetting } from "../env.ts";
import { isInRanges, isPublicAddress } from "./addresses.ts";
import type { OutgoingFailure } from "./guarded-request.ts";

/** Allowed ports of public servers if `TOOL_PORTS` is not set. */
const DEFAULT_PORTS = "443";

/**
 * Returns the reason why a server that administrators of a tenant chose must not be called, or null if it may be. Public
 * servers need https and an allowed port. Servers in the ranges of `TOOL_PRIVATE_RANGES` may use any.
 */
export function findServerRefusal(address: string, { protocol, port }: URL): OutgoingFailure | null {
  if (isInRanges(address, findSetting("TOOL_PRIVATE_RANGES"))) return null;
  if (!isPublicAddress(address) || protocol !== "https:") return "address_not_allowed";
  const ports = (findSetting("TOOL_PORTS") || DEFAULT_PORTS).split(",");
  return ports.includes(port || "443") ? null : "port_not_allowed";
}
