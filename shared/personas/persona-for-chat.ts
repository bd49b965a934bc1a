import type { ChatPrincipal, UserPrincipal } from "../auth/principal.ts";
import { ServiceError } from "../lib/errors.ts";
import { canUsePersona, mayUseModel, type PersonaViewer } from "./persona-rules.ts";
import { findPersona, getPersonaViewer, type StoredPersona } from "./persona-store.ts";
import { resolveTenantModel } from "./tenant-models.ts";

const modelReserved = () =>
  new ServiceError("forbidden", "The model of this persona is reserved for other groups. Choose another persona.");

/** User without the groups, which decide only about personas of a group. */
const withoutGroups = ({ userId }: UserPrincipal): PersonaViewer => ({
  userId,
  isAdmin: false,
  teammateIds: new Set(),
  groupIds: new Set(),
});

/**
 * Returns the persona of a conversation, including its instructions, with its model in the form of `resolveTenantModel`. Null
 * if the persona is gone or the principal cannot use it.
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
