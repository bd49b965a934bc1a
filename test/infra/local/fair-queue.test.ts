import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Queue } from "../../../infra/local/queues/queue.ts";

const directory = mkdtempSync(join(tmpdir(), "queue-"));
afterAll(() => rmSync(directory, { recursive: true }));

it("local queue delivers messages of groups with few messages in flight first", () => {
  const options = {
    name: "imports",
    arn: "arn:aws:sqs:local:0:imports",
    visibilityTimeoutMs: 60_000,
    delayMs: 0,
    retentionMs: 60_000,
    maxReceiveCount: 5,
    deadLetterArn: undefined,
  };
  const queue = new Queue(options, join(directory, "imports.jsonl"), () => {});
  for (const body of ["a1", "a2", "a3"]) queue.send(body, {}, 0, "a");
  const receiveOne = () => queue.receive(1)[0]?.body;
  expect([receiveOne(), receiveOne()]).toEqual(["a1", "a2"]);
  queue.send("b1", {}, 0, "b");
  expect([receiveOne(), receiveOne()]).toEqual(["b1", "a3"]);
  queue.close();
});
