import type { Policy } from "../api/governance/policy.ts";
import type { Persona } from "../api/personas/persona.ts";
import { notFound, ServiceError } from "../lib/errors.ts";

/** Attributes of a user that determine which personas and models the user can use. */
export interface PersonaViewer {
  readonly userId: string;
  readonly isAdmin: boolean;
  /** Ids of the users who share a group with this user. */
  readonly teammateIds: ReadonlySet<string>;
  readonly groupIds: ReadonlySet<string>;
}

type Owned = Pick<Persona, "owner_id" | "visibility">;

/** Returns true if the user can change and publish the persona: its owner and administrators can. */
export function canManagePersona(persona: Owned, viewer: PersonaViewer): boolean {
  return viewer.isAdmin || persona.owner_id === viewer.userId;
}

/**
 * Returns true if a caller can see and use a persona.
 * @param viewer null for callers without a user, such as widget visitors and API keys
 */
export function canUsePersona(persona: Owned, viewer: PersonaViewer | null): boolean {
  if (viewer === null) return persona.visibility === "public";
  if (canManagePersona(persona, viewer)) return true;
  if (persona.visibility === "team") return viewer.teammateIds.has(persona.owner_id);
  return persona.visibility !== "private";
}

/** @throws ServiceError `not_found` if the user cannot see the persona, `forbidden` if the user cannot change it */
export function authorizePersonaChange(persona: Owned, viewer: PersonaViewer): void {
  if (!canUsePersona(persona, viewer)) throw notFound();
  if (canManagePersona(persona, viewer)) return;
  throw new ServiceError("forbidden", "Only its owner and administrators can change or publish a persona.");
}

/**
 * Returns true if the user may use a model that is reserved for these groups. An empty list means that the model is not
 * reserved; administrators may use all.
 */
export const mayUseModel = (
  groupIds: readonly string[],
  viewer: Pick<PersonaViewer, "isAdmin" | "groupIds">,
): boolean => groupIds.length === 0 || viewer.isAdmin || groupIds.some((id) => viewer.groupIds.has(id));

/** Rules of the tenant's policy about choosing a model for an answer; null if every model can be chosen. */
export type ModelChoices = Policy["models"]["choices"];

/**
 * Returns the ids of the personas with which a caller may choose this model. Null means with any persona or none; an empty
 * list means never.
 * @param viewer null for callers without a user
 */
export function findChoosablePersonas(
  choices: ModelChoices,
  model: string,
  viewer: Pick<PersonaViewer, "isAdmin" | "groupIds"> | null,
): readonly string[] | null {
  if (choices === null) return null;
  const applicable = choices.filter(
    (choice) =>
      choice.model === model &&
      (viewer === null ? choice.group_ids.length === 0 : mayUseModel(choice.group_ids, viewer)),
  );
  if (applicable.some(({ persona_ids }) => persona_ids.length === 0)) return null;
  return [...new Set(applicable.flatMap(({ persona_ids }) => persona_ids))];
}

/** Returns a persona as a user sees it. Only its owner and administrators see the instructions and the versions. */
export function projectPersonaFor<SomePersona extends Persona>(
  viewer: PersonaViewer,
  persona: SomePersona,
): SomePersona {
  if (canManagePersona(persona, viewer)) return persona;
  return { ...persona, instructions: null, latest_version: null, rollouts: [], gate: null };
}

/** Derives a slug from the name, or from the id if the name contains no ASCII letters or digits. */
export function toSlug({ id, name }: Pick<Persona, "id" | "name">): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replaceAll(/^-+|(?<!-)-+$/g, "");
  return slug || `persona-${id.slice(-12)}`;
}
