import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { redrive } from "../../../infra/commands/redrive.ts";
import type { DeployedResource } from "../../../infra/local/assembly/deployment.ts";
import { Bucket } from "../../../infra/local/buckets/buckets.ts";
import type { FunctionHost } from "../../../infra/local/functions/function-host.ts";
import { FunctionError } from "../../../infra/local/functions/function-instance.ts";
import { Queue } from "../../../infra/local/queues/queue.ts";
import { ServiceServer } from "../../../infra/local/service-server.ts";

const directory = mkdtempSync(join(tmpdir(), "redrive-"));
const queues = new Map<string, Queue>();
const invoked: { name: string; event: unknown }[] = [];
let server: ServiceServer;

function addQueue(name: string, deadLetterArn?: string): Queue {
  const arn = `arn:${name}`;
  const options = {
    name,
    arn,
    visibilityTimeoutMs: 0,
    delayMs: 0,
    retentionMs: 1e9,
    maxReceiveCount: 1,
    deadLetterArn,
  };
  const queue = new Queue(options, join(directory, name), (message) =>
    queues.get(deadLetterArn ?? "")?.addDeadLetter(message, arn),
  );
  queues.set(arn, queue);
  return queue;
}

const jobs = addQueue("switchboard-test-build-export", "arn:switchboard-test-failed-jobs");
const failedJobs = addQueue("switchboard-test-failed-jobs");
const faults = addQueue("switchboard-test-faults");
const failedBatches = addQueue("switchboard-test-stream-failures");
const bucket = new Bucket(
  { ref: "batches", attributes: { Arn: "arn:aws:s3:::batches" }, properties: {} } as unknown as DeployedResource,
  directory,
  ({ key }) => failedBatches.send(JSON.stringify({ detail: { bucket: { name: "batches" }, object: { key } } })),
);
const toBodies = (queue: Queue) => queue.receive(10, 0).map(({ body }) => JSON.parse(body));

/** Function host whose only function, a stream processor, crashes for the record `broken`. */
const host = {
  find: (name: string) => (name.includes("changes") ? { name } : undefined),
  invoke: async ({ name }: { name: string }, event: { Records: { eventID: string }[] }) => {
    invoked.push({ name, event });
    if (event.Records[0]?.eventID === "broken")
      throw new FunctionError({ errorType: "Error", errorMessage: "crashed" });
    return "null";
  },
} as unknown as FunctionHost;

beforeAll(async () => {
  server = await ServiceServer.listen("token");
  server.serve({ host, queues, buckets: new Map([["batches", bucket]]) });
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  vi.stubEnv("AWS_ENDPOINT_URL", `http://${server.address}`);
});

afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
  for (const queue of queues.values()) queue.close();
  rmSync(directory, { recursive: true });
});

it("redrive script moves failed jobs from the dead-letter queue back to their queue", async () => {
  jobs.send('{"id":"first"}');
  jobs.receive(1, 0);
  expect(jobs.receive(1, 0)).toEqual([]);
  expect(failedJobs.counts().visible).toBe(1);
  expect(await redrive("switchboard-test-failed-jobs")).toEqual({ task: expect.any(String) });
  expect(failedJobs.counts().visible).toBe(0);
  expect(toBodies(jobs)).toEqual([{ id: "first" }]);
});

it("redrive script processes failed changes again and keeps those that fail again", async () => {
  const tags = { functionname: "switchboard-test-changes-cascade" };
  const withRecord = (eventID: string) => JSON.stringify({ tags, uow: { record: { eventID } } });
  for (const body of [withRecord("first"), withRecord("broken"), '{"trimmed":true}']) faults.send(body);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await redrive("switchboard-test-faults")).toEqual({ processed: 1, remaining: 2 });
  expect(invoked).toContainEqual({ name: tags.functionname, event: { Records: [{ eventID: "first" }] } });
  expect(faults.counts()).toMatchObject({ visible: 0, inFlight: 2 });
});

it("redrive script processes failed batches of changes again and deletes those that succeed", async () => {
  const functionArn = "arn:aws:lambda:eu-west-1:000000000000:function:switchboard-test-changes-audit";
  const store = (eventID: string) => {
    const payload = JSON.stringify({ Records: [{ eventID }, { eventID: "second" }] });
    bucket.put(`aws/lambda/${eventID}`, Buffer.from(JSON.stringify({ requestContext: { functionArn }, payload })));
  };
  for (const eventID of ["batch", "broken", "expired"]) store(eventID);
  bucket.delete("aws/lambda/expired");
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await redrive("switchboard-test-stream-failures")).toEqual({ processed: 2, remaining: 1 });
  expect(invoked).toContainEqual({
    name: "switchboard-test-changes-audit",
    event: { Records: [{ eventID: "batch" }, { eventID: "second" }] },
  });
  expect(bucket.find("aws/lambda/batch")).toBeUndefined();
  expect(bucket.find("aws/lambda/broken")).toBeDefined();
  expect(failedBatches.counts()).toMatchObject({ visible: 0, inFlight: 1 });
});

it("redrive script fails for a queue that does not exist or is not a dead-letter queue", async () => {
  await expect(redrive("switchboard-test-nothing")).rejects.toMatchObject({ name: "QueueDoesNotExist" });
  await expect(redrive("switchboard-test-build-export")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
});
