import { Template } from "../api/personas/templates.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listMergedPage } from "../dynamodb/merged-page.ts";
import { type Page, type PageRequest, parseCursor, toCursor } from "../dynamodb/pagination.ts";
import { deleteExistingItem } from "../dynamodb/required-item.ts";
import { absent, ConditionFailed, type Item, unchanged, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { retry } from "../lib/retry.ts";
import { systemTemplates } from "./system-templates.ts";
import { canUseTemplate, resolveVariables, retainVariables } from "./template-rules.ts";

/** Fields of a template that a user can set. */
type TemplateFields = Pick<Template, "name" | "description" | "body" | "variables" | "category" | "visibility">;

export const readTemplate = itemReader(Template);

/** Returns the keys of the index entry: a private template is in its owner's list, any other one in the tenant's. */
export function toTemplateIndexKeys({ tenantId }: TenantScope, { id, owner_id, visibility }: Template) {
  return visibility === "private"
    ? indexKeys.privateTemplate(tenantId, owner_id ?? "", id)
    : indexKeys.sharedTemplate(tenantId, id);
}

/**
 * Returns a new template of the user, which is not stored yet.
 * @throws ServiceError `validation_failed` if the variables do not match the body
 */
export function newTemplate(ownerId: string, fields: TemplateFields): Template {
  const at = timestamp();
  return {
    id: newId(),
    ...fields,
    variables: resolveVariables(fields.body, fields.variables),
    is_system: false,
    owner_id: ownerId,
    version: 1,
    created_at: at,
    updated_at: at,
  };
}

export function newTemplateWrite(scope: TenantScope, template: Template): Write {
  return {
    put: {
      ...keys.template(scope.tenantId, template.id),
      ...toTemplateIndexKeys(scope, template),
      discriminator: "template",
      timestamp: now(),
      ...template,
    },
    condition: absent(),
  };
}

/**
 * Returns a template that the user can see, including system templates.
 * @throws ServiceError `not_found`
 */
export async function getTemplate(member: UserScope, id: string): Promise<Template> {
  const system = systemTemplates.find((candidate) => candidate.id === id);
  if (system) return system;
  const item = await tenantTable(member).get(keys.template(member.tenantId, id), { consistent: true });
  const template = item && readTemplate(item);
  if (!template || !canUseTemplate(template, member.userId)) throw notFound();
  return template;
}

const toLists = ({ tenantId, userId }: UserScope) => [
  { index: "gsi1" as const, pk: indexKeys.privateTemplate(tenantId, userId, "").gsi1pk },
  { index: "gsi1" as const, pk: indexKeys.sharedTemplate(tenantId, "").gsi1pk },
];

/**
 * Lists the templates that the user can see, newest first. System templates come last, because their ids are the lowest.
 * @throws ServiceError `invalid_cursor`
 */
export async function listTemplates(member: UserScope, request: PageRequest): Promise<Page<Template>> {
  const list = { list: "templates", filters: { user: member.userId } };
  const page = await listMergedPage(member, list, toLists(member), request);
  if (page.next) return { entries: page.entries.map(readTemplate), next: page.next };
  const position = parseCursor(member, list, request.cursor);
  const remainingSystemTemplates = systemTemplates.filter(({ id }) => position === undefined || id < position);
  const all = [...page.entries.map(readTemplate), ...remainingSystemTemplates];
  const entries = all.slice(0, request.limit);
  const last = entries.at(-1);
  return { entries, next: all.length > request.limit && last ? toCursor(member, list, last.id) : null };
}

/** Maximum number of templates that a search reads from each list, the newest ones. */
const MAX_SEARCHED_TEMPLATES_PER_LIST = 500;

/** Returns the templates to search in: the system templates, and the newest templates of the user and of the tenant. */
export async function listSearchableTemplates(member: UserScope): Promise<Template[]> {
  const table = tenantTable(member);
  const lists = toLists(member).map((list) =>
    table.query({ ...list, limit: MAX_SEARCHED_TEMPLATES_PER_LIST, descending: true }),
  );
  return [...(await Promise.all(lists)).flat().map(readTemplate), ...systemTemplates];
}

/** Maximum number of attempts to update a template that is changed concurrently. */
const MAX_ATTEMPTS = 5;

/**
 * Updates a template and increments its version.
 * @throws ServiceError `not_found`, `conflict`, `validation_failed` if the variables do not match the body
 */
export async function updateTemplate(
  member: UserScope,
  id: string,
  changes: Partial<TemplateFields>,
): Promise<Template> {
  const update = async () => {
    const before = await getTemplate(member, id);
    const body = changes.body ?? before.body;
    const variables = changes.variables
      ? resolveVariables(body, changes.variables)
      : retainVariables(body, before.variables);
    const after = { ...before, ...changes, variables, version: before.version + 1, updated_at: timestamp() };
    const { name, description, category, visibility, version, updated_at } = after;
    const item = await tenantTable(member).write({
      update: keys.template(member.tenantId, id),
      set: {
        ...{ name, description, body, variables, category, visibility, version, updated_at },
        ...toTemplateIndexKeys(member, after),
        timestamp: now(),
      },
      condition: unchanged(before, "version"),
    });
    return readTemplate(item as Item);
  };
  const isRetryable = (error: unknown) => error instanceof ConditionFailed;
  return retry(update, { maxAttempts: MAX_ATTEMPTS, isRetryable, toError: () => changedConcurrently("The template") });
}

/** @throws ServiceError `not_found` */
export async function deleteTemplate(scope: TenantScope, id: string): Promise<void> {
  await deleteExistingItem(scope, keys.template(scope.tenantId, id));
}
