import { expect, it } from "vitest";
import { serializeFault } from "#shared/changes/faults.ts";

const faultWith = (text: string) => ({
  err: { name: "Error", message: "No good" },
  tags: { pipeline: "audit" },
  uow: { event: { id: "1", type: "message-created", partitionKey: "t#conversation#c", raw: { new: { text } } } },
});

it("serializeFault() omits the stream record when the message would exceed the queue's size limit", () => {
  expect(JSON.parse(serializeFault(faultWith("short")))).toEqual(faultWith("short"));
  // The second text has three bytes per character.
  for (const text of ["a".repeat(300_000), "語".repeat(100_000)]) {
    const serialized = serializeFault(faultWith(text));
    expect(Buffer.byteLength(serialized)).toBeLessThan(262_144);
    expect(JSON.parse(serialized)).toMatchObject({ err: { message: "No good" }, trimmed: true, event: { id: "1" } });
  }
});
