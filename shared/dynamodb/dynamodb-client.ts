import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { AwsError, awsJsonClient } from "../lib/aws/aws-client.ts";
import { DynamodbError, type TableClient, type Values } from "./table-client.ts";

type Attributes = Record<string, AttributeValue>;

/** Matches the escape of a lone surrogate in JSON text. An even number of backslashes before it belongs to other escapes. */
const loneSurrogate = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** Replaces lone surrogates in JSON text by U+FFFD: DynamoDB rejects text that is not well-formed Unicode. */
function toWellFormedJson(json: string): string {
  return json.includes("\\ud") ? json.replace(loneSurrogate, "$1\ufffd") : json;
}

/** Converts every binary value in place, at any depth. The JSON of DynamoDB's API contains bytes as Base64. */
function mapBinaryValues(values: Iterable<AttributeValue>, convert: (bytes: never) => unknown): void {
  for (const value of values) {
    if (value.B !== undefined) value.B = convert(value.B as never) as Uint8Array;
    else if (value.M !== undefined) mapBinaryValues(Object.values(value.M), convert);
    else if (value.L !== undefined) mapBinaryValues(value.L, convert);
  }
}

function encode(values: Readonly<Values>): Values {
  const attributes = marshall(values, { removeUndefinedValues: true, allowImpreciseNumbers: true });
  mapBinaryValues(Object.values(attributes), (bytes: Uint8Array) => Buffer.from(bytes).toString("base64"));
  return attributes;
}

/**
 * Decodes an item image of the change feed to JavaScript values. Bytes stay Base64, and large numbers do not become BigInt,
 * which JSON cannot represent.
 */
export const decodeImage = (image: Values | undefined): Values | undefined =>
  image && unmarshall(image as Attributes, { wrapNumbers: Number });

function decode(values: Values): Values {
  mapBinaryValues(Object.values(values as Attributes), (text: string) => Buffer.from(text, "base64"));
  return decodeImage(values) as Values;
}

const decodeOptional = (values: unknown) => (values ? decode(values as Values) : undefined);

function toDynamodbError({ name, message, status, response }: AwsError): DynamodbError {
  const reasons = (response.CancellationReasons ?? []) as readonly { Code?: string; Item?: unknown }[];
  return new DynamodbError(name, message, {
    status,
    item: decodeOptional(response.Item),
    reasons: reasons.map(({ Code, Item }) => ({ Code, item: decodeOptional(Item) })),
  });
}

/**
 * Returns the client of all functions: signed requests over `node:http` without the SDK. A call takes a twelfth of the SDK's CPU
 * time and the module loads 20 ms faster (decision 0010).
 */
export function dynamodbClient(): TableClient {
  const send = awsJsonClient("DynamoDB_20120810", {
    environmentName: "DYNAMODB",
    hostPrefix: "dynamodb",
    signingName: "dynamodb",
    timeoutMs: 3_000,
    maxAttempts: 5,
  });
  return {
    encode,
    decode,
    async call(operation, input) {
      try {
        return await send(operation, toWellFormedJson(JSON.stringify(input)));
      } catch (error) {
        throw error instanceof AwsError ? toDynamodbError(error) : error;
      }
    },
  };
}
