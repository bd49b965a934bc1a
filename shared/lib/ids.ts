import { randomInt } from "node:crypto";
import { uuidv7 } from "uuidv7";

/** A fresh UUIDv7: ids of one process sort in the order of their making (RFC 9562). */
export function newId(): string {
  return uuidv7();
}

const slugLetters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** A fresh tenant slug: 8 characters of `[a-z0-9]`. */
export function newSlug(): string {
  return Array.from({ length: 8 }, () => slugLetters[randomInt(slugLetters.length)]).join("");
}
