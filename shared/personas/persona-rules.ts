import type { Persona } from "../api/personas/personas.ts";
import { notFound, ServiceError } from "../lib/errors.ts";

/** A person of the tenant, as far as it matters for personas. */
export interface PersonaViewer {
  readonly userId: string;
  readonly isAdmin: boolean;
  /** Everybody who shares a group with this person. */
  readonly teamMates: ReadonlySet<string>;
}

type Owned = Pick<Persona, "owner_id" | "visibility">;

/** Whether the persona is this person's to change and to publish. */
function mayManage(persona: Owned, viewer: PersonaViewer): boolean {
  return viewer.isAdmin || persona.owner_id === viewer.userId;
}

/**
 * Whether somebody may see and use a persona.
 * @param viewer null for who is nobody in particular: a visitor of a website, a program with an API key
 */
export function mayUse(persona: Owned, viewer: PersonaViewer | null): boolean {
  if (viewer === null) return persona.visibility === "public";
  if (mayManage(persona, viewer)) return true;
  if (persona.visibility === "team") return viewer.teamMates.has(persona.owner_id);
  return persona.visibility !== "private";
}

/** @throws ServiceError `not_found` for what the person may not see, `forbidden` for what is not the person's */
export function checkManageable(persona: Owned, viewer: PersonaViewer): void {
  if (!mayUse(persona, viewer)) throw notFound();
  if (mayManage(persona, viewer)) return;
  throw new ServiceError("forbidden", "Only its owner and administrators may do this to a persona.");
}

/** A persona as the person gets to see it: what it is told is its owner's secret. */
export function personaSeenBy<Kept extends Persona>(viewer: PersonaViewer, persona: Kept): Kept {
  return mayManage(persona, viewer) ? persona : { ...persona, instructions: null };
}

/** A slug made of a name; made of the id where the name has nothing for it. */
export function slugOf({ id, name }: Pick<Persona, "id" | "name">): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, "");
  return slug || `persona-${id.slice(-12)}`;
}
