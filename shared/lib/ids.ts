import { randomInt } from "node:crypto";
import { uuidv7 } from "uuidv7";

/** Creates a UUIDv7 (RFC 9562). Ids created by one process sort in creation order. */
export function newId(): string {
  return uuidv7();
}

const slugAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Creates a tenant slug: 8 characters from `[a-z0-9]`. */
export function newSlug(): string {
  return Array.from({ length: 8 }, () => slugAlphabet[randomInt(slugAlphabet.length)]).join("");
}
