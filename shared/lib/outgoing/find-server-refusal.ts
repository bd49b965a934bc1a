import { findSetting } from "../env.ts";
import { isInRanges, isPublicAddress } from "./addresses.ts";
import type { OutgoingFailure } from "./guarded-request.ts";

/** Ports of public servers without the setting `TOOL_PORTS`. */
const DEFAULT_PORTS = "443";

/**
 * Decides about the address of a server that administrators of a tenant chose. Public servers need https and an allowed port. Servers
 * in the named private ranges may use any.
 */
export function findServerRefusal(address: string, { protocol, port }: URL): OutgoingFailure | null {
  if (isInRanges(address, findSetting("TOOL_PRIVATE_RANGES"))) return null;
  if (!isPublicAddress(address) || protocol !== "https:") return "address_not_allowed";
  const ports = (findSetting("TOOL_PORTS") || DEFAULT_PORTS).split(",");
  return ports.includes(port || "443") ? null : "port_not_allowed";
}
