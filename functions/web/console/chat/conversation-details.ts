import type { Tier } from "../../../../shared/api/tiers.ts";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { showError } from "../lib/toast.ts";
import { api } from "../session/session.ts";

/** Conversation as the service describes it to the user. */
export type ConversationDetails = ReplyOf<"/v1/conversations/{id}", "get">;

export const changePersona = (id: string, personaId: string | null) =>
  changeConversation(id, { persona_id: personaId });

export async function changeConversation(
  id: string,
  body: { readonly persona_id: string | null } | { readonly tier: Tier },
): Promise<void> {
  try {
    await api.PATCH("/v1/conversations/{id}", { params: { path: { id } }, body });
    invalidate(`conversation:${id}`);
  } catch (error) {
    showError(error);
  }
}
