import type { ChatPrincipal, UserPrincipal } from "../auth/principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { invalidField, notFound, ServiceError } from "../lib/errors.ts";
import {
  authorizePersonaChange,
  canUsePersona,
  findChoosablePersonas,
  type ModelChoices,
  mayUseModel,
  type PersonaViewer,
} from "./persona-rules.ts";
import { findPersona, getPersonaViewer, type StoredPersona } from "./persona-store.ts";
import { findVersionFor } from "./rollouts.ts";
import { requireKnownModel } from "./tenant-model-store.ts";
import { resolveTenantModel } from "./tenant-models.ts";
import { getVersionContent } from "./version-store.ts";

const modelNotChoosable = (model: string) =>
  new ServiceError(
    "forbidden",
    `The policy of your organization does not let you choose the model ${model} here. Leave the choice out, or choose another one.`,
  );

const modelReserved = () =>
  new ServiceError("forbidden", "The model is reserved for other groups. Choose another one.");

/** Model that a user chose for one answer, and the rules for the choice. */
interface ChosenModel {
  readonly model: string;
  /** Persona of the conversation. */
  readonly personaId: string | null;
  readonly choices: ModelChoices;
}

/**
 * Returns the internal name of the model that a user chose for an answer, as `resolveTenantModel` returns it.
 * @throws ServiceError `validation_failed` that lists the models if it does not exist; `forbidden` if it is reserved for
 * other groups or the policy does not let the user choose it
 */
export async function resolveChosenModel(
  principal: ChatPrincipal,
  { model, personaId, choices }: ChosenModel,
): Promise<string> {
  const { preference, groupIds } = await resolveTenantModel(principal, { model: model as string | null });
  if (preference.model === null) await requireKnownModel(principal, model);
  if (groupIds.length === 0 && choices === null) return preference.model ?? model;
  const viewer = principal.kind === "visitor" ? null : await getPersonaViewer(principal);
  if (groupIds.length > 0 && (viewer === null || !mayUseModel(groupIds, viewer))) throw modelReserved();
  const personaIds = findChoosablePersonas(choices, model, viewer);
  if (personaIds !== null && (personaId === null || !personaIds.includes(personaId))) throw modelNotChoosable(model);
  return preference.model ?? model;
}

/** Returns the user without groups, to find out whether access depends on them before they are read. */
const withoutGroups = ({ userId }: UserPrincipal): PersonaViewer => ({
  userId,
  isAdmin: false,
  teammateIds: new Set(),
  groupIds: new Set(),
});

/** Conversation in which a persona answers. */
interface PersonaUse {
  readonly conversationId: string;
  /** Version that the user chose; by default, the one that is published to the user or the conversation. */
  readonly version?: number | undefined;
}

const requireNoVersion = (version: number | undefined) => {
  if (version !== undefined) throw invalidField("persona_version", "no_persona", "needs a persona of the conversation");
  return null;
};

/**
 * Returns the persona with the version that answers. Reads the version only if it is not the one that everybody gets.
 * @param viewer null for visitors
 * @throws ServiceError `forbidden` if the user chose a version without the right to manage the persona,
 * `validation_failed` if it does not exist
 */
async function resolveVersion(
  scope: TenantScope,
  persona: StoredPersona,
  { conversationId, version: chosen }: PersonaUse,
  viewer: PersonaViewer | null,
): Promise<StoredPersona> {
  if (chosen !== undefined) {
    if (viewer === null) throw notFound();
    authorizePersonaChange(persona, viewer);
  }
  const version = chosen ?? findVersionFor(persona, { conversationId, groupIds: viewer?.groupIds ?? new Set() });
  return { ...persona, ...(await getVersionContent(scope, persona, version, "persona_version")), version };
}

/**
 * Returns the persona of a conversation with its instructions and the internal name of its model, as `resolveTenantModel`
 * returns it; null if the persona was deleted or the principal cannot use it.
 * @param use conversation and version; without it, the version is the one that everybody gets
 * @throws ServiceError `forbidden` if its model is reserved for groups that the principal does not belong to; the errors of
 * `resolveVersion`
 */
export async function findPersonaForChat(
  principal: ChatPrincipal,
  personaId: string | null,
  use?: PersonaUse,
): Promise<StoredPersona | null> {
  const stored = personaId === null ? undefined : await findPersona(principal, personaId);
  if (!stored) return requireNoVersion(use?.version);
  // The groups of a user are read only if something depends on them.
  let viewerRead: Promise<PersonaViewer> | undefined;
  const readViewer = async () => {
    if (principal.kind === "visitor") return null;
    viewerRead ??= getPersonaViewer(principal);
    return viewerRead;
  };
  const isOpen = canUsePersona(stored, principal.kind === "visitor" ? null : withoutGroups(principal));
  if (!isOpen && !canUsePersona(stored, await readViewer())) return requireNoVersion(use?.version);
  const needsGroups = use?.version !== undefined || stored.rollouts.some(({ group_ids }) => group_ids.length > 0);
  const persona = use ? await resolveVersion(principal, stored, use, needsGroups ? await readViewer() : null) : stored;
  const { preference, groupIds } = await resolveTenantModel(principal, persona);
  if (groupIds.length === 0) return preference;
  const viewer = await readViewer();
  if (viewer === null || !mayUseModel(groupIds, viewer)) throw modelReserved();
  return preference;
}
