import type { ChatPrincipal, UserPrincipal } from "../auth/principal.ts";
import { ServiceError } from "../lib/errors.ts";
import {
  canUsePersona,
  findChoosablePersonas,
  type ModelChoices,
  mayUseModel,
  type PersonaViewer,
} from "./persona-rules.ts";
import { findPersona, getPersonaViewer, type StoredPersona } from "./persona-store.ts";
import { requireKnownModel } from "./tenant-model-store.ts";
import { resolveTenantModel } from "./tenant-models.ts";

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

/**
 * Returns the persona of a conversation with its instructions and the internal name of its model, as `resolveTenantModel`
 * returns it; null if the persona was deleted or the principal cannot use it.
 * @throws ServiceError `forbidden` if its model is reserved for groups that the principal does not belong to
 */
export async function findPersonaForChat(
  principal: ChatPrincipal,
  personaId: string | null,
): Promise<StoredPersona | null> {
  const persona = personaId === null ? undefined : await findPersona(principal, personaId);
  if (!persona) return null;
  const { preference, groupIds } = await resolveTenantModel(principal, persona);
  if (principal.kind === "visitor") {
    if (!canUsePersona(persona, null)) return null;
    if (groupIds.length > 0) throw modelReserved();
    return preference;
  }
  const isOpen = canUsePersona(persona, withoutGroups(principal));
  if (isOpen && groupIds.length === 0) return preference;
  const viewer = await getPersonaViewer(principal);
  if (!canUsePersona(persona, viewer)) return null;
  if (!mayUseModel(groupIds, viewer)) throw modelReserved();
  return preference;
}
