import { deletePersonaGateRoute, updatePersonaGateRoute } from "#shared/api/personas/persona-gate.ts";
import { requireValidGate } from "#shared/evaluations/gate/require-valid-gate.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { requireFound } from "#shared/lib/errors.ts";
import { changeGate, changeManagedPersona } from "#shared/personas/change-persona.ts";
import { authorizeGateChange } from "#shared/personas/gate.ts";
import { getPersonaViewer } from "#shared/personas/persona-store.ts";

export const deletePersonaGateHandler = endpoint(deletePersonaGateRoute, ({ principal, params, commit }) =>
  changeManagedPersona(principal, params.id, async (before) => {
    authorizeGateChange(before, await getPersonaViewer(principal));
    requireFound(before.gate);
    await commit(undefined, ...changeGate(principal, before, null).writes);
  }),
);

export const updatePersonaGateHandler = endpoint(updatePersonaGateRoute, ({ principal, params, body, commit }) =>
  changeManagedPersona(principal, params.id, async (before) => {
    authorizeGateChange(before, await getPersonaViewer(principal));
    await requireValidGate(principal, before.id, body);
    const { persona, writes } = changeGate(principal, before, body);
    return commit(persona, ...writes);
  }),
);
