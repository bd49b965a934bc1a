import { decodeImage } from "../dynamodb/dynamodb-client.ts";

/**
 * Decodes the images of a change like the table does. aws-lambda-stream decodes large numbers as BigInt, on which every rule
 * that compares or serializes an item would fail.
 */
export function withDecodedImages(unit: StreamUnitOfWork): StreamUnitOfWork {
  const { NewImage, OldImage } = unit.record.dynamodb;
  return { ...unit, event: { ...unit.event, raw: { new: decodeImage(NewImage), old: decodeImage(OldImage) } } };
}
