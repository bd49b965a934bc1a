import type { PersonaGate } from "../../api/personas/persona.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { invalidField } from "../../lib/errors.ts";
import { findTestItem } from "../test-item-store.ts";
import { findTestSet } from "../test-set-store.ts";

/** @throws ServiceError `validation_failed` if the gate names a set of another persona, or an item that the set has not */
export async function requireValidGate(
  scope: TenantScope,
  personaId: string,
  { set_id, required_item_ids }: PersonaGate,
): Promise<void> {
  const set = await findTestSet(scope, set_id);
  if (set?.persona_id !== personaId) {
    throw invalidField("set_id", "unknown_test_set", "must be the id of a test set of the persona");
  }
  const items = await Promise.all(required_item_ids.map((id) => findTestItem(scope, set_id, id)));
  const index = items.findIndex((item) => !item);
  if (index < 0) return;
  throw invalidField(`required_item_ids.${index}`, "unknown_test_item", "must be the id of an item of the test set");
}
