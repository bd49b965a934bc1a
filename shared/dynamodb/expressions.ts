import type { Changes, Condition, Key, Query, Write } from "./table.ts";
import { indexes, tableKeys } from "./table-layout.ts";

/** DynamoDB's limit for the length of an expression, in bytes. Expressions contain ASCII characters only. */
const MAX_EXPRESSION_LENGTH = 4_096;

/**
 * Returns a function that shortens the placeholders of expressions if one of them exceeds DynamoDB's length limit; otherwise
 * it changes nothing.
 */
function placeholders(expressions: readonly string[]): (text: string) => string {
  if (expressions.every(({ length }) => length <= MAX_EXPRESSION_LENGTH)) return (text) => text;
  const all = new Set(expressions.flatMap((expression) => expression.match(/[#:]\w+/g) ?? []));
  const short = new Map([...all].map((placeholder, index) => [placeholder, placeholder[0] + index.toString(36)]));
  return (text) => text.replace(/[#:]\w+/g, (placeholder) => short.get(placeholder) ?? placeholder);
}

/** Returns the expression fields of a write: condition, update and the names and values that they refer to. */
export function writeExpression(parts: { condition?: Condition } & Changes) {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parts.condition?.values ?? {})) values[`:${name}`] = value;
  const clausesOf = (attributes: Record<string, unknown>, toClause: (name: string) => string) => {
    const names = Object.keys(attributes).filter((name) => attributes[name] !== undefined);
    for (const name of names) values[`:new_${name}`] = attributes[name];
    return names.map(toClause);
  };
  const { set = {}, setIfAbsent = {}, add = {}, remove = [] } = parts;
  const sets = [
    ...clausesOf(set, (name) => `#${name} = :new_${name}`),
    ...clausesOf(setIfAbsent, (name) => `#${name} = if_not_exists(#${name}, :new_${name})`),
  ];
  const adds = clausesOf(add, (name) => `#${name} :new_${name}`);
  const removes = remove.map((name) => `#${name}`);
  const update = Object.entries({ SET: sets, ADD: adds, REMOVE: removes })
    .filter(([, clauses]) => clauses.length > 0)
    .map(([keyword, clauses]) => `${keyword} ${clauses.join(", ")}`)
    .join(" ");
  const where = parts.condition?.where ?? "";
  const shorten = placeholders([update, where]);
  const names = new Set(`${update} ${where}`.match(/#\w+/g));
  const shortened = Object.fromEntries(Object.entries(values).map(([name, value]) => [shorten(name), value]));
  return {
    ...(update && { UpdateExpression: shorten(update) }),
    ...(parts.condition && { ConditionExpression: shorten(where) }),
    ...(names.size > 0 && {
      ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [shorten(name), name.slice(1)])),
    }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: shortened }),
    ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
  };
}

/** Returns a write as an entry of `TransactItems`. */
export function toTransactItem(TableName: string, write: Write) {
  const expression = writeExpression(write);
  if ("put" in write) return { Put: { TableName, Item: write.put, ...expression } };
  if ("delete" in write) return { Delete: { TableName, Key: keyAttributes(write.delete), ...expression } };
  if ("check" in write) return { ConditionCheck: { TableName, Key: keyAttributes(write.check), ...expression } };
  return { Update: { TableName, Key: keyAttributes(write.update), ...expression } };
}

/** Returns only the key attributes of an item. */
export const keyAttributes = ({ pk, sk }: Key): Key => ({ pk, sk });

/**
 * Returns the condition on the sort key, or null if the query has none. `BETWEEN` includes `after` itself, which the caller
 * must drop.
 */
function sortKeyCondition(query: Query): { where: string; values: Record<string, string> } | null {
  const { prefix, after, descending, between } = query;
  const range = ([from, to]: readonly [string, string]) => ({
    where: "#sk BETWEEN :from AND :to",
    values: { ":from": from, ":to": to },
  });
  if (between) return range(between);
  if (prefix !== undefined && after !== undefined) {
    return range(descending ? [prefix, after] : [after, `${prefix}\u{10ffff}`]);
  }
  if (prefix !== undefined) return { where: "begins_with(#sk, :prefix)", values: { ":prefix": prefix } };
  if (after !== undefined) return { where: `#sk ${descending ? "<" : ">"} :after`, values: { ":after": after } };
  return null;
}

/**
 * Returns the projection expression of a query that asks for some attributes. It adds the keys and the expiry, which the
 * table port needs.
 */
function projection({ attributes, index }: Query) {
  if (!attributes) return { names: {} };
  const own = index ? Object.values(indexes[index]) : [];
  const names = [...new Set([...Object.values(tableKeys), ...own, ...attributes])];
  return {
    expression: names.map((_, position) => `#a${position}`).join(", "),
    names: Object.fromEntries(names.map((name, position) => [`#a${position}`, name])),
  };
}

/** Returns the input of a Query operation, except the limit and the start key of a page. */
export function queryInput(TableName: string, query: Query) {
  const { pk, sk } = query.index ? indexes[query.index] : tableKeys;
  const condition = sortKeyCondition(query);
  const { expression, names } = projection(query);
  return {
    TableName,
    IndexName: query.index,
    KeyConditionExpression: condition ? `#pk = :pk AND ${condition.where}` : "#pk = :pk",
    ProjectionExpression: expression,
    ExpressionAttributeNames: { "#pk": pk, ...(condition && { "#sk": sk }), ...names },
    ExpressionAttributeValues: { ":pk": query.pk, ...condition?.values },
    ScanIndexForward: !query.descending,
    ConsistentRead: query.consistent,
  };
}
