import type { Template } from "../api/personas/templates.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listMergedPage } from "../dynamodb/merged-page.ts";
import { type Page, type PageRequest, parseCursor, toCursor } from "../dynamodb/pagination.ts";
import { ConditionFailed, type Item, type Write } from "../dynamodb/table.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { systemTemplates } from "./system-templates.ts";
import { keptVariables, mayUseTemplate, variablesOf } from "./template-rules.ts";

/** What can be said of a template. */
export type TemplateFields = Pick<Template, "name" | "description" | "body" | "variables" | "category" | "visibility">;

const templateOf = (item: Item) => item as unknown as Template;

function placeInLists({ tenantId }: TenantScope, { id, owner_id, visibility }: Template) {
  return visibility === "private"
    ? indexKeys.privateTemplate(tenantId, owner_id ?? "", id)
    : indexKeys.sharedTemplate(tenantId, id);
}

/**
 * A fresh template of the user.
 * @throws ServiceError `validation_failed` for variables that do not fit the body
 */
export function newTemplate(ownerId: string, fields: TemplateFields): Template {
  const at = timestamp();
  return {
    id: newId(),
    ...fields,
    variables: variablesOf(fields.body, fields.variables),
    is_system: false,
    owner_id: ownerId,
    version: 1,
    created_at: at,
    updated_at: at,
  };
}

/** The write that stores a fresh template. */
export function newTemplateWrite(scope: TenantScope, template: Template): Write {
  return {
    put: {
      ...keys.template(scope.tenantId, template.id),
      ...placeInLists(scope, template),
      discriminator: "template",
      timestamp: now(),
      ...template,
    },
    condition: { where: "attribute_not_exists(#pk)" },
  };
}

/**
 * A template that the person finds.
 * @throws ServiceError `not_found`
 */
export async function getTemplate(member: UserScope, id: string): Promise<Template> {
  const system = systemTemplates.find((template) => template.id === id);
  if (system) return system;
  const item = await tenantTable(member).get(keys.template(member.tenantId, id), { consistent: true });
  if (!item || !mayUseTemplate(templateOf(item), member.userId)) throw notFound();
  return templateOf(item);
}

const listsOf = ({ tenantId, userId }: UserScope) => [
  { index: "gsi1" as const, pk: indexKeys.privateTemplate(tenantId, userId, "").gsi1pk },
  { index: "gsi1" as const, pk: indexKeys.sharedTemplate(tenantId, "").gsi1pk },
];

/**
 * Templates the person finds, newest first. The service's own are older than all others: their ids say so.
 * @throws ServiceError `invalid_cursor`
 */
export async function listTemplates(member: UserScope, request: PageRequest): Promise<Page<Template>> {
  const list = { list: "templates", filters: { user: member.userId } };
  const page = await listMergedPage(member, list, listsOf(member), request);
  if (page.next) return { entries: page.entries.map(templateOf), next: page.next };
  const position = parseCursor(member, list, request.cursor);
  const rest = systemTemplates.filter(({ id }) => position === undefined || id < position);
  const all = [...page.entries.map(templateOf), ...rest];
  const entries = all.slice(0, request.limit);
  const last = entries.at(-1);
  return { entries, next: all.length > request.limit && last ? toCursor(member, list, last.id) : null };
}

/** Templates of a list that a search looks at. */
const searched = 500;

/** The templates that a search of the person looks at: the service's, and the newest of the person's and the tenant's. */
export async function searchableTemplates(member: UserScope): Promise<Template[]> {
  const table = tenantTable(member);
  const lists = listsOf(member).map((list) => table.query({ ...list, limit: searched, descending: true }));
  return [...(await Promise.all(lists)).flat().map(templateOf), ...systemTemplates];
}

/** Tries of a change that lost against another one. */
const attempts = 5;

/**
 * Changes a template, which makes it the next version.
 * @throws ServiceError `not_found`, `conflict`, `validation_failed` for variables that do not fit the body
 */
export async function updateTemplate(
  member: UserScope,
  id: string,
  changes: Partial<TemplateFields>,
): Promise<Template> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const before = await getTemplate(member, id);
    const body = changes.body ?? before.body;
    const variables = changes.variables ? variablesOf(body, changes.variables) : keptVariables(body, before.variables);
    const after = { ...before, ...changes, variables, version: before.version + 1, updated_at: timestamp() };
    const { name, description, category, visibility, version, updated_at } = after;
    try {
      const item = await tenantTable(member).write({
        update: keys.template(member.tenantId, id),
        set: {
          ...{ name, description, body, variables, category, visibility, version, updated_at },
          ...placeInLists(member, after),
          timestamp: now(),
        },
        condition: { where: "#version = :version", values: { version: before.version } },
      });
      return templateOf(item as Item);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
  throw changedConcurrently("The template");
}

/** @throws ServiceError `not_found` */
export async function deleteTemplate(scope: TenantScope, id: string): Promise<void> {
  await tenantTable(scope).write({
    delete: keys.template(scope.tenantId, id),
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  });
}
