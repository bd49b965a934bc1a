import { expect, it } from "vitest";
import { withDecodedImages } from "#shared/changes/decoded-images.ts";

it("withDecodedImages() passes large numbers on as numbers, which rules can serialize", () => {
  const NewImage = { data: { M: { ids: { L: [{ N: "12345678901234567000" }, { N: "1.5E+100" }, { N: "7" }] } } } };
  const raw = { new: { data: { ids: [12_345_678_901_234_567_000n] } } };
  const event = { id: "1", type: "thing-created", partitionKey: "t#things", timestamp: 1, raw };
  const decoded = withDecodedImages({ record: { dynamodb: { NewImage } }, event });
  expect(JSON.stringify(decoded.event.raw)).toBe('{"new":{"data":{"ids":[12345678901234567000,1.5e+100,7]}}}');
});
