import type { Model } from "../model-table.ts";

type Body = Readonly<Record<string, unknown>>;

const newField = "max_completion_tokens";
const oldField = "max_tokens";

/**
 * Name of the token-limit field that a model requires, by provider URL and model id. It is learned when the provider rejects
 * the other name.
 */
const requiredFields = new Map<string, string>();

/** Returns the request body with the token limit under the given name. */
function renameLimit(body: Body, field: string): Body {
  const { [newField]: current, [oldField]: earlier, ...rest } = body;
  const limit = current ?? earlier;
  return limit === undefined || limit === null ? rest : { ...rest, [field]: limit };
}

const usedField = (body: Body) =>
  (body[newField] ?? null) !== null ? newField : (body[oldField] ?? null) !== null ? oldField : null;

/** Returns true if a provider's error says that it does not support a field. */
function refusesField(error: unknown, field: string): boolean {
  const { statusCode, responseBody } = ((error as { cause?: unknown }).cause ?? {}) as Record<string, unknown>;
  if (statusCode !== 400 && statusCode !== 422) return false;
  return (
    typeof responseBody === "string" &&
    responseBody.includes(field) &&
    /unsupported|unknown|unrecogni[sz]ed|not (?:supported|permitted|allowed)|extra|unexpected/i.test(responseBody)
  );
}

/**
 * Calls a provider with the token limit as the caller named it. If the provider rejects that name, calls it again with the
 * other one: reasoning models accept only `max_completion_tokens`, older servers only `max_tokens`.
 */
export async function callWithTokenLimit<Result>(
  body: Body,
  { id, provider }: Model,
  call: (body: Body) => Promise<Result>,
): Promise<Result> {
  const field = usedField(body);
  if (field === null) return call(body);
  const key = `${provider.baseUrl} ${id}`;
  const required = requiredFields.get(key);
  try {
    return await call(required && required !== field ? renameLimit(body, required) : body);
  } catch (error) {
    const other = field === newField ? oldField : newField;
    if (required || !refusesField(error, field)) throw error;
    const result = await call(renameLimit(body, other));
    requiredFields.set(key, other);
    return result;
  }
}
