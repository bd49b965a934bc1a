import { expect, it } from "vitest";
import { serializeFault } from "#shared/changes/faults.ts";

const faultWith = (text: string) => ({
  err: { name: "Error", message: "No good" },
  tags: { pipeline: "audit" },
  uow: { event: { id: "1", type: "message-created", partitionKey: "t#conversation#c", raw: { new: { text } } } },
});

it("a fault is reported with its record where a queue takes it, else without", () => {
  expect(JSON.parse(serializeFault(faultWith("short")))).toEqual(faultWith("short"));
  // Each of these characters is three bytes.
  for (const text of ["a".repeat(300_000), "語".repeat(100_000)]) {
    const reported = serializeFault(faultWith(text));
    expect(Buffer.byteLength(reported)).toBeLessThan(262_144);
    expect(JSON.parse(reported)).toMatchObject({ err: { message: "No good" }, trimmed: true, event: { id: "1" } });
  }
});
