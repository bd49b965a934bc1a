import { deletePersona } from "#shared/api/personas.ts";
import * as endpoints from "#shared/data/endpoint-store.ts";
import { managedPersona } from "#shared/data/persona-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deletePersona, async ({ principal, params }) => {
  await endpoints.deletePersona(principal, await managedPersona(principal, params.id));
});
