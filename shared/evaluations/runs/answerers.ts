import type { TestColumn } from "../../api/evaluations/test-runs.ts";
import type { UserPrincipal } from "../../auth/principal.ts";
import type { TrialAnswerer } from "../../chat/trial/trial.ts";
import { getCurrentPolicy } from "../../governance/policy-store.ts";
import { requireFound } from "../../lib/errors.ts";
import { selectModel } from "../../models/model.ts";
import { findPersonaForChat, resolveChosenModel } from "../../personas/persona-for-chat.ts";

/**
 * Returns the internal name of the model that judges the answers of a run.
 * @param name model that the user chose; null for that of the tier THINKING
 * @throws ServiceError `validation_failed` or `forbidden` if the user may not choose the model
 */
export async function toJudgeModel(principal: UserPrincipal, personaId: string, name: string | null): Promise<string> {
  if (name === null) return selectModel({ tier: "THINKING", model: null });
  const { models } = await getCurrentPolicy(principal);
  const model = await resolveChosenModel(principal, { model: name, personaId, choices: models.choices });
  return selectModel({ tier: "THINKING", model });
}

/**
 * Returns who answers in each column.
 * @throws ServiceError `not_found` or `forbidden` if the user may not use the persona or manage its versions, or may not choose a model;
 * `validation_failed` for an unknown version or model
 */
export async function toAnswerers(
  principal: UserPrincipal,
  personaId: string,
  columns: readonly TestColumn[],
): Promise<Omit<TrialAnswerer, "signal">[]> {
  const { models } = await getCurrentPolicy(principal);
  return Promise.all(
    columns.map(async ({ version, model: name }) => {
      const found = await findPersonaForChat(principal, personaId, { conversationId: "", version });
      const persona = requireFound(found);
      const chosen =
        name === null ? null : await resolveChosenModel(principal, { model: name, personaId, choices: models.choices });
      return { principal, persona, model: selectModel({ tier: persona.tier, model: chosen ?? persona.model }) };
    }),
  );
}
