import { arn } from "../assembly/local-account.ts";
import { type Fields, fields, list, text } from "../json.ts";
import type { AccessRequest } from "./permissions.ts";

/** Name of the partition key by table, and by `table/index` for indexes. */
export type PartitionKeys = Record<string, string>;

/** IAM action of each operation in `TransactItems`. */
const transactActions: Record<string, string> = {
  ConditionCheck: "ConditionCheckItem",
  Delete: "DeleteItem",
  Get: "GetItem",
  Put: "PutItem",
  Update: "UpdateItem",
};

/**
 * Returns the permissions that a DynamoDB request needs, with the partition keys that it addresses.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function tableRequests(operation: string, input: Fields, partitionKeys: PartitionKeys): AccessRequest[] {
  const toRequest = (action: string, target: string, keys: readonly unknown[]): AccessRequest => ({
    action: `dynamodb:${action}`,
    resource: arn("dynamodb", `table/${target}`),
    context: { "dynamodb:leadingkeys": keys.map(attributeValue) },
  });
  const keyOf = (table: string, item: unknown) => fields(item)[partitionKeys[table] ?? ""];
  if (operation.startsWith("Batch")) {
    return Object.entries(fields(input.RequestItems)).map(([table, requests]) => {
      const items = operation === "BatchGetItem" ? list(fields(requests).Keys) : list(requests).map(batchWriteItem);
      return toRequest(
        operation,
        table,
        items.map((item) => keyOf(table, item)),
      );
    });
  }
  if (operation.startsWith("Transact")) {
    return list(input.TransactItems)
      .flatMap((item) => Object.entries(fields(item)))
      .map(([kind, request]) => {
        const { TableName, Key, Item } = fields(request);
        const table = text(TableName) ?? "";
        return toRequest(transactActions[kind] ?? kind, table, [keyOf(table, Key ?? Item)]);
      });
  }
  const table = text(input.TableName);
  if (table === undefined) return [{ action: `dynamodb:${operation}`, resource: "*" }];
  const index = text(input.IndexName);
  const target = index === undefined ? table : `${table}/index/${index}`;
  if (operation === "Query") {
    return [toRequest("Query", target, [queriedKey(input, partitionKeys[index ? `${table}/${index}` : table])])];
  }
  const item = input.Key ?? input.Item;
  return [toRequest(operation, target, item === undefined ? [] : [keyOf(table, item)])];
}

const batchWriteItem = (request: unknown): unknown => {
  const { PutRequest, DeleteRequest } = fields(request);
  return fields(PutRequest).Item ?? fields(DeleteRequest).Key;
};

/** Returns the value that a key condition compares the partition key with: `#pk = :pk AND …`. */
function queriedKey(input: Fields, attribute: string | undefined): unknown {
  const names = fields(input.ExpressionAttributeNames);
  const comparisons = (text(input.KeyConditionExpression) ?? "").matchAll(/([#\w]+)\s*=\s*(:\w+)/g);
  const comparison = [...comparisons].find(([, name = ""]) => (names[name] ?? name) === attribute);
  return fields(input.ExpressionAttributeValues)[comparison?.[2] ?? ""];
}

/** Returns a key value as the text that IAM conditions compare; empty for a missing key, which only `*` matches. */
const attributeValue = (value: unknown): string => String(Object.values(fields(value))[0] ?? "");
