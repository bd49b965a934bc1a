import type { UserPrincipal } from "../auth/principal.ts";
import { fillTemplate } from "../personas/template-rules.ts";
import { getTemplate, listTemplates } from "../personas/template-store.ts";

const PAGE_SIZE = 100;

/**
 * Lists the templates that a user can see as MCP prompts, in pages of 100.
 * @throws ServiceError `invalid_cursor`
 */
export async function listPrompts(principal: UserPrincipal, cursor?: string) {
  const { entries, next } = await listTemplates(principal, {
    limit: PAGE_SIZE,
    ...(cursor !== undefined && { cursor }),
  });
  return {
    prompts: entries.map(({ id, name, description, variables }) => ({
      name: id,
      title: name,
      description,
      arguments: variables.map(({ name: variable, required }) => ({ name: variable, required })),
    })),
    ...(next !== null && { nextCursor: next }),
  };
}

/**
 * Returns an MCP prompt: a template whose variables are replaced by the values.
 * @throws ServiceError `not_found`, `validation_failed` for missing or unknown variables
 */
export async function getPrompt(principal: UserPrincipal, name: string, values: Readonly<Record<string, string>>) {
  const template = await getTemplate(principal, name);
  const text = fillTemplate(template, values);
  return { description: template.description, messages: [{ role: "user", content: { type: "text", text } }] };
}
