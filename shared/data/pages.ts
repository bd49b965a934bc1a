import { createHash } from "node:crypto";
import { ServiceError } from "../errors.ts";
import type { TenantScope } from "./tenant-scope.ts";

/** A part of a list, and where the next one begins: null at the end. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

/** What a cursor is bound to: the list's name and its filters. */
export interface CursorBinding {
  readonly list: string;
  readonly filters?: Readonly<Record<string, unknown>>;
}

/** A cursor shows no key and fits no other list; a forged one could only reach what its forger may list anyway. */
function seal(scope: TenantScope, binding: CursorBinding, position: string): string {
  const bound = JSON.stringify([scope.tenantId, binding.list, binding.filters ?? {}, position]);
  return createHash("sha256").update(bound).digest("base64url").slice(0, 16);
}

/** The opaque cursor for a position in a list. */
export function cursorAt(scope: TenantScope, binding: CursorBinding, position: string): string {
  return Buffer.from(seal(scope, binding, position) + position).toString("base64url");
}

/**
 * The position that a cursor of this very list stands for; undefined without one.
 * @throws ServiceError `invalid_cursor` for any other text
 */
export function positionOf(scope: TenantScope, binding: CursorBinding, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString();
  const position = text.slice(16);
  if (cursorAt(scope, binding, position) !== cursor) {
    throw new ServiceError("invalid_cursor", "This cursor belongs to another list. Start again without one.");
  }
  return position;
}
