import { isDeepStrictEqual } from "node:util";
import type { Deployed, Deployment } from "../assembly/deployment.ts";
import { AwsError, awsJson } from "../aws-json.ts";
import { Failure } from "../failure.ts";
import { type Fields, fields, list } from "../json.ts";

/**
 * Creates the app's tables where they are missing, and the indexes a table lacks.
 * @throws Failure when an existing table has other keys than its template says
 */
export async function createTables(deployment: Deployment, endpoint: string): Promise<void> {
  await Promise.all(
    deployment
      .resources("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
      .map((resource) => createTable(resource, endpoint)),
  );
}

async function createTable({ ref: name, properties }: Deployed, endpoint: string): Promise<void> {
  const call = (operation: string, input: object) =>
    awsJson(endpoint, `DynamoDB_20120810.${operation}`, { TableName: name, ...input });
  const existing = await call("DescribeTable", {}).catch((error: unknown) => {
    if (error instanceof AwsError && error.name === "ResourceNotFoundException") return undefined;
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

async function alignIndexes(name: string, wanted: Fields, found: Fields, call: Call): Promise<void> {
  const mismatch = (what: string) =>
    new Failure(`The local table ${name} has ${what} than the template. Start with --fresh to forget the local state.`);
  if (!isDeepStrictEqual(keysOf(found), keysOf(wanted))) throw mismatch("other keys");
  const foundIndexes = new Map(
    list(found.GlobalSecondaryIndexes).map((index) => [fields(index).IndexName, fields(index)]),
  );
  for (const index of indexesOf(wanted)) {
    const existing = foundIndexes.get(index.IndexName);
    if (existing && !isDeepStrictEqual(keysOf(existing), keysOf(index)))
      throw mismatch(`another index ${index.IndexName}`);
    if (!existing)
      await call("UpdateTable", {
        AttributeDefinitions: wanted.AttributeDefinitions,
        GlobalSecondaryIndexUpdates: [{ Create: index }],
      });
  }
}

/** Keys in one order, however they are written. */
function keysOf(schema: Fields): string[] {
  return list(schema.KeySchema)
    .map((key) => `${fields(key).KeyType} ${fields(key).AttributeName}`)
    .sort();
}

/** Capacity settings aside: on demand is the one mode here. */
function indexesOf(properties: Fields): Fields[] {
  return list(properties.GlobalSecondaryIndexes).map((index) => {
    const { IndexName, KeySchema, Projection } = fields(index);
    return { IndexName, KeySchema, Projection };
  });
}

/** DynamoDB refuses to enable what is enabled. */
function ignoreUnchanged(error: unknown): void {
  if (!(error instanceof AwsError && error.name === "ValidationException")) throw error;
}
