import { isDeepStrictEqual } from "node:util";
import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { AwsException, awsJson } from "../aws-json.ts";
import { Failure } from "../failure.ts";
import { type Fields, fields, list } from "../json.ts";

/**
 * Creates missing tables, and missing indexes of existing tables.
 * @throws Failure when the keys of an existing table differ from its template
 */
export async function createTables(deployment: Deployment, endpoint: string): Promise<void> {
  await Promise.all(
    deployment
      .resources("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
      .map((resource) => createTable(resource, endpoint)),
  );
}

async function createTable({ ref: name, properties }: DeployedResource, endpoint: string): Promise<void> {
  const call = (operation: string, input: object) =>
    awsJson(endpoint, `DynamoDB_20120810.${operation}`, { TableName: name, ...input });
  const existing = await call("DescribeTable", {}).catch((error: unknown) => {
    if (error instanceof AwsException && error.name === "ResourceNotFoundException") return undefined;
    throw error;
  });
  if (existing) {
    await alignIndexes(name, properties, fields(fields(existing).Table), call);
  } else {
    const stream = fields(properties.StreamSpecification).StreamViewType;
    await call("CreateTable", {
      AttributeDefinitions: properties.AttributeDefinitions,
      KeySchema: properties.KeySchema,
      BillingMode: "PAY_PER_REQUEST",
      ...(indexesOf(properties).length > 0 && { GlobalSecondaryIndexes: indexesOf(properties) }),
      ...(list(properties.LocalSecondaryIndexes).length > 0 && {
        LocalSecondaryIndexes: properties.LocalSecondaryIndexes,
      }),
      ...(stream !== undefined && { StreamSpecification: { StreamEnabled: true, StreamViewType: stream } }),
    });
  }
  const expiry = fields(properties.TimeToLiveSpecification);
  if (expiry.Enabled) await call("UpdateTimeToLive", { TimeToLiveSpecification: expiry }).catch(ignoreUnchanged);
}

type Call = (operation: string, input: object) => Promise<unknown>;

async function alignIndexes(name: string, template: Fields, table: Fields, call: Call): Promise<void> {
  const mismatch = (what: string) =>
    new Failure(
      `${what} of the local table ${name} differ from the template. Start with --fresh to reset the local state.`,
    );
  if (!isDeepStrictEqual(keysOf(table), keysOf(template))) throw mismatch("Keys");
  const existingIndexes = new Map(
    list(table.GlobalSecondaryIndexes).map((index) => [fields(index).IndexName, fields(index)]),
  );
  for (const index of indexesOf(template)) {
    const existing = existingIndexes.get(index.IndexName);
    if (existing && !isDeepStrictEqual(keysOf(existing), keysOf(index))) {
      throw mismatch(`Keys of index ${index.IndexName}`);
    }
    if (!existing) {
      await call("UpdateTable", {
        AttributeDefinitions: template.AttributeDefinitions,
        GlobalSecondaryIndexUpdates: [{ Create: index }],
      });
    }
  }
}

/** Returns the keys of a table or index, sorted so that they can be compared. */
function keysOf(schema: Fields): string[] {
  return list(schema.KeySchema)
    .map((key) => `${fields(key).KeyType} ${fields(key).AttributeName}`)
    .sort();
}

/** Returns the global secondary indexes in a template without capacity settings, because local tables are always on demand. */
function indexesOf(properties: Fields): Fields[] {
  return list(properties.GlobalSecondaryIndexes).map((index) => {
    const { IndexName, KeySchema, Projection } = fields(index);
    return { IndexName, KeySchema, Projection };
  });
}

/** Ignores DynamoDB's error that TTL is already enabled; rethrows any other. */
function ignoreUnchanged(error: unknown): void {
  if (!(error instanceof AwsException && error.name === "ValidationException")) throw error;
}
