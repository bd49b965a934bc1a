import { Agent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
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
import { ConfiguredRetryStrategy } from "@smithy/core/retry";
import { requestSigner } from "../lib/aws/signature-v4.ts";
import { type AwsSettings, getAwsSettings } from "../lib/env.ts";
import { retry, retryDelayMs } from "../lib/retry.ts";
import { DynamodbError, type TableClient, type TableOperation, type Values } from "./table-client.ts";

/** Numbers do not become BigInt, which JSON cannot represent. */
const unmarshallOptions = { wrapNumbers: Number };

/** Decodes an item image of the change feed to JavaScript values. Bytes stay Base64. */
export const decodeImage = (image: Values | undefined): Values | undefined =>
  image && unmarshall(image as Record<string, AttributeValue>, unmarshallOptions);

const commands = {
  GetItem: GetCommand,
  BatchGetItem: BatchGetCommand,
  Query: QueryCommand,
  PutItem: PutCommand,
  UpdateItem: UpdateCommand,
  DeleteItem: DeleteCommand,
  TransactWriteItems: TransactWriteCommand,
  BatchWriteItem: BatchWriteCommand,
} as const satisfies Record<TableOperation, unknown>;

/** Matches the escape of a lone surrogate in JSON text. An even number of backslashes before it belongs to other escapes. */
const loneSurrogate = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * Returns a JSON body as text, with lone surrogates replaced by U+FFFD: DynamoDB rejects text that is not well-formed Unicode. A text is
 * written to the socket together with the headers, which takes less time than bytes.
 */
function toWellFormedJson(body: unknown): unknown {
  if (!(body instanceof Uint8Array)) return body;
  const json = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return json.includes("\\ud") ? json.replace(loneSurrogate, "$1\ufffd") : json;
}

/** Middlewares of the SDK that this service does not need, which are half of its CPU time for a call. */
const unneeded = ["loggerMiddleware", "recursionDetectionMiddleware", "getUserAgentMiddleware"];

const MAX_ATTEMPTS = 5;

/** Request of the SDK, whose body is a text. */
interface SignableRequest {
  readonly path: string;
  readonly body: string;
  headers: Record<string, string>;
}

/**
 * Returns the signer of all AWS services that this service calls, in the form of the SDK. It takes a sixth of a call less CPU time than its
 * own. The SDK corrects the date by the clock of DynamoDB.
 */
function createSigner(url: string, settings: AwsSettings) {
  const sign = requestSigner("dynamodb", new URL(url).host, settings);
  return {
    async sign<Request>(request: Request, { signingDate }: { readonly signingDate: Date }): Promise<Request> {
      const { path, body, headers } = request as SignableRequest;
      const signed = { "content-type": headers["content-type"] ?? "", "x-amz-target": headers["x-amz-target"] ?? "" };
      (request as SignableRequest).headers = { ...headers, ...sign({ path, headers: signed, body }, signingDate) };
      return request;
    },
  };
}

function createClient(): DynamoDBDocumentClient {
  const settings = getAwsSettings("DYNAMODB");
  const { region, endpoint = `https://dynamodb.${region}.amazonaws.com`, ...credentials } = settings;
  const agentOptions = { keepAlive: true, maxSockets: 256 };
  // The SDK does not search in files what is given here.
  const client = new DynamoDBClient({
    region,
    endpoint,
    credentials,
    signer: createSigner(endpoint, settings) as never,
    // By default, the SDK waits for up to 15 seconds in all when the table throttles, and the functions time out before they answer 503.
    retryStrategy: new ConfiguredRetryStrategy(MAX_ATTEMPTS, retryDelayMs),
    defaultsMode: "standard",
    accountIdEndpointMode: "disabled",
    authSchemePreference: ["aws.auth#sigv4"],
    endpointDiscoveryEnabled: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    requestHandler: {
      requestTimeout: 3_000,
      throwOnRequestTimeout: true,
      httpAgent: new Agent(agentOptions),
      httpsAgent: new HttpsAgent(agentOptions),
    },
  });
  for (const name of unneeded) client.middlewareStack.remove(name);
  client.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { body?: unknown };
      request.body = toWellFormedJson(request.body);
      return next(args);
    },
    { step: "build", name: "toWellFormed", priority: "high" },
  );
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
    // A copy, because the client changes it.
    unmarshallOptions: { ...unmarshallOptions },
  });
}

interface ErrorResponse extends DynamoDBServiceException {
  readonly Item?: Values;
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: Values }[];
}

function toDynamodbError(error: ErrorResponse): DynamodbError {
  const reasons = error.CancellationReasons ?? [];
  return new DynamodbError(error.name, error.message, {
    status: error.$metadata.httpStatusCode ?? 0,
    item: decodeImage(error.Item),
    reasons: reasons.map(({ Code, Item }) => ({ ...(Code && { Code }), item: decodeImage(Item) })),
    cause: error,
  });
}

const isConflict = (error: unknown) => (error as Error).name === "TransactionConflictException";

/** Returns the client of all functions. It reads the credentials once, because Lambda does not change them while the process lives. */
export function dynamodbClient(): TableClient {
  const client = createClient();
  return {
    async call(operation, input) {
      const send = () => client.send(new commands[operation](input as never) as never);
      try {
        // The SDK gives up at once when a write meets a transaction.
        return await retry(send, { maxAttempts: MAX_ATTEMPTS, isRetryable: isConflict });
      } catch (error) {
        throw error instanceof DynamoDBServiceException ? toDynamodbError(error) : error;
      }
    },
  };
}
