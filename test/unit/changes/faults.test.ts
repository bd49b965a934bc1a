import { expect, it } from "vitest";
import { serializeFault } from "#shared/changes/faults.ts";

const faultWith = (text: string) => ({
  err: { name: "Error", message: "No good" },
  tags: { pipeline: "audit" },
  uow: { event: { id: "1", type: "message-created", partitionKey: "t#conversation#c", raw: { new: { text } } } },
});

it("serializeFault() serializes integers beyond JavaScript's safe range as text, because an error would block the stream", () => {
  const { uow, ...fault } = faultWith("short");
  const raw = { new: { count: 12_345_678_901_234_567_890n } };
  const serialized = serializeFault({ ...fault, uow: { event: { ...uow.event, raw } } });
  expect(JSON.parse(serialized).uow.event.raw.new).toEqual({ count: "12345678901234567890" });
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
