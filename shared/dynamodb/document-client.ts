import { type AttributeValue, DynamoDBClient, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { getAwsSettings } from "../lib/env.ts";
import { retryDelay } from "../lib/retry-delay.ts";
import { DynamodbError, type TableClient, type TableOperation, type Values } from "./table-client.ts";

const MAX_ATTEMPTS = 5;
const TIMEOUT_MS = 3_000;

/** Replaces lone surrogates in every string by U+FFFD: DynamoDB rejects text that is not well-formed Unicode. */
function toWellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toWellFormed(each)]));
}

/** Fields of DynamoDB's exceptions. Their items are in wire format, even when the document client throws them. */
interface ExceptionDetails {
  readonly Item?: Record<string, AttributeValue>;
  readonly CancellationReasons?: readonly { Code?: string; Item?: Record<string, AttributeValue> }[];
}

/** Decodes an item, or the image of one in the change feed, from its wire format. Without `wrapNumbers`, large numbers become BigInt, which JSON cannot represent. */
export const decodeItem = (item: Values | undefined): Values | undefined =>
  item && unmarshall(item as Record<string, AttributeValue>, { wrapNumbers: Number });

function toDynamodbError(error: DynamoDBServiceException): DynamodbError {
  const { Item, CancellationReasons = [] } = error as ExceptionDetails;
  return new DynamodbError(error.name, error.message, {
    status: error.$metadata.httpStatusCode ?? 0,
    item: decodeItem(Item),
    reasons: CancellationReasons.map((reason) => ({ Code: reason.Code, item: decodeItem(reason.Item) })),
    cause: error,
  });
}

/**
 * Returns the client for stream processors and jobs: the AWS SDK's `DynamoDBDocumentClient` with its standard retry
 * mode, whose retry quota keeps a large batch from amplifying an outage.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function documentClient(): TableClient {
  const { region, endpoint } = getAwsSettings("DYNAMODB");
  const client = new DynamoDBClient({
    region,
    ...(endpoint && { endpoint }),
    maxAttempts: MAX_ATTEMPTS,
    retryMode: "standard",
    requestHandler: { connectionTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, throwOnRequestTimeout: true },
  });
  const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
    unmarshallOptions: { wrapNumbers: Number },
  });

  // `never`, because each SDK command has its own input type; the table builds inputs that both adapters accept.
  const operations: Record<TableOperation, (input: never) => Promise<unknown>> = {
    GetItem: (input) => documents.send(new GetCommand(input)),
    BatchGetItem: (input) => documents.send(new BatchGetCommand(input)),
    Query: (input) => documents.send(new QueryCommand(input)),
    PutItem: (input) => documents.send(new PutCommand(input)),
    UpdateItem: (input) => documents.send(new UpdateCommand(input)),
    DeleteItem: (input) => documents.send(new DeleteCommand(input)),
    TransactWriteItems: (input) => documents.send(new TransactWriteCommand(input)),
    BatchWriteItem: (input) => documents.send(new BatchWriteCommand(input)),
  };

  return {
    encode: (values) => toWellFormed(values) as Values,
    decode: (values) => values,
    async call(operation, input) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await operations[operation](input as never);
        } catch (error) {
          if (!(error instanceof DynamoDBServiceException)) throw error;
          // The SDK retries throttling, server and network errors, but not a write that conflicts with a transaction.
          if (error.name !== "TransactionConflictException" || attempt === MAX_ATTEMPTS) throw toDynamodbError(error);
          await retryDelay(attempt);
        }
      }
    },
  };
}
