import { unpublishPersona } from "#shared/api/personas.ts";
import { unpublish } from "#shared/data/endpoint-store.ts";
import { managedPersona } from "#shared/data/persona-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(unpublishPersona, async ({ principal, params }) => {
  await unpublish(principal, await managedPersona(principal, params.id));
});
