import type { PersonaRollout } from "../api/personas/persona.ts";
import { sha256Bytes } from "../lib/hash.ts";
import type { StoredPersona } from "./persona-store.ts";

/** Conversation in which a persona answers, and the groups of the user who asks. */
interface Audience {
  readonly conversationId: string;
  readonly groupIds: ReadonlySet<string>;
}

/**
 * Returns true if a conversation belongs to a share. The hash stays the same, so that the conversation keeps its version when
 * the share is raised; it contains the version, so that trials of two versions are independent.
 */
function isInShare(personaId: string, { version, percent }: PersonaRollout, conversationId: string): boolean {
  if (percent === null) return false;
  const position = sha256Bytes(`${personaId}#${version}#${conversationId}`).readUInt32BE() / 2 ** 32;
  return position < percent / 100;
}

/** Returns the number of the version that answers: that of a group of the user, of a share, or else of everybody. */
export function findVersionFor(
  { id, version, rollouts }: Pick<StoredPersona, "id" | "version" | "rollouts">,
  { conversationId, groupIds }: Audience,
): number {
  const rollout =
    rollouts.find(({ group_ids }) => group_ids.some((group) => groupIds.has(group))) ??
    rollouts.find((each) => isInShare(id, each, conversationId));
  return rollout?.version ?? version;
}

/**
 * Returns the publications of versions after another one, which takes the place of an earlier one of the version. A group has
 * one version at most, and one version a share.
 */
export function addRollout(rollouts: readonly PersonaRollout[], added: PersonaRollout): PersonaRollout[] {
  const others = rollouts
    .filter(({ version }) => version !== added.version)
    .map(({ version, group_ids, percent }) => ({
      version,
      group_ids: group_ids.filter((id) => !added.group_ids.includes(id)),
      percent: added.percent === null ? percent : null,
    }))
    .filter(({ group_ids, percent }) => group_ids.length > 0 || percent !== null);
  return [...others, added];
}
