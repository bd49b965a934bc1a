import { vi } from "vitest";
import { dynamodbClient } from "#shared/dynamodb/dynamodb-client.ts";
import { openTable } from "#shared/dynamodb/open-table.ts";
import type { Table } from "#shared/dynamodb/table.ts";
import type { TableProxy } from "./table-proxy.ts";

/**
 * Opens the table of an instance that uses the proxy, for tests that store what only a crash or a lost race leaves behind.
 * Must be called after the instance has started, because it changes the environment.
 */
export function openInstanceTable({ serverEndpoint }: TableProxy): Table {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", serverEndpoint);
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  return openTable("switchboard-local-table", dynamodbClient());
}
