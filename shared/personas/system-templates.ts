import type { Template, TemplateVariable } from "../api/personas/templates.ts";
import { type SystemPrompt, systemPrompts } from "./system-template-prompts.ts";
import { retainVariables } from "./template-rules.ts";

const CREATED_AT = "2026-01-01T00:00:00.000Z";

const toOptionalVariables = (defaults: SystemPrompt["defaults"] = {}): TemplateVariable[] =>
  Object.entries(defaults).map(([name, text]) => ({ name, required: false, default: text }));

/** Templates that every tenant has, newest first. Their ids are the lowest UUIDv7s, so they sort after all others. */
export const systemTemplates: readonly Template[] = systemPrompts
  .map(({ name, description, category, body, defaults }, index) => ({
    id: `00000000-0000-7000-8000-${String(index + 1).padStart(12, "0")}`,
    name,
    description,
    body,
    variables: retainVariables(body, toOptionalVariables(defaults)),
    category,
    visibility: "tenant" as const,
    is_system: true,
    owner_id: null,
    version: 1,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
  }))
  .reverse();
