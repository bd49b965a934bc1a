import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";

/** Values by name in DynamoDB's own notation, as they go over the wire. */
export type Attributes = Record<string, AttributeValue>;

/** Turns around how bytes are written, in place, wherever they are: JSON has no bytes, so they travel as base64. */
function turnBytes(values: Iterable<AttributeValue>, turn: (bytes: never) => unknown): void {
  for (const value of values) {
    if (value.B !== undefined) value.B = turn(value.B as never) as Uint8Array;
    else if (value.M !== undefined) turnBytes(Object.values(value.M), turn);
    else if (value.L !== undefined) turnBytes(value.L, turn);
  }
}

/** Values in DynamoDB's own notation; what is undefined is left out. */
export function toAttributes(values: Readonly<Record<string, unknown>>): Attributes {
  const attributes = marshall(values, { removeUndefinedValues: true, allowImpreciseNumbers: true });
  turnBytes(Object.values(attributes), (bytes: Uint8Array) => Buffer.from(bytes).toString("base64"));
  return attributes;
}

/** Values out of DynamoDB's own notation. */
export function fromAttributes(attributes: Attributes): Record<string, unknown> {
  turnBytes(Object.values(attributes), (text: string) => Buffer.from(text, "base64"));
  // As they were before: left to itself, it would make large ones something that JSON does not have.
  return unmarshall(attributes, { wrapNumbers: Number });
}
