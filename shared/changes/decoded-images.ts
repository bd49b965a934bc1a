import { decodeImage } from "../dynamodb/dynamodb-client.ts";

/**
 * Decodes the images of a change in the same way as the table client. aws-lambda-stream would decode large numbers as BigInt,
 * which rules cannot compare with numbers or serialize as JSON.
 */
export function withDecodedImages(unit: StreamUnitOfWork): StreamUnitOfWork {
  const { NewImage, OldImage } = unit.record.dynamodb;
  return { ...unit, event: { ...unit.event, raw: { new: decodeImage(NewImage), old: decodeImage(OldImage) } } };
}
