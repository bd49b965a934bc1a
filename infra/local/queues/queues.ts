import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { fields, number, text } from "../json.ts";
import { Queue, type QueueOptions } from "./queue.ts";

/**
 * Creates the queues of the app, by ARN. Their journals are in `directory`.
 * @throws Failure if a journal is damaged
 */
export function createQueues(deployment: Deployment, directory: string): Map<string, Queue> {
  mkdirSync(directory, { recursive: true });
  const queues = new Map<string, Queue>();
  for (const resource of deployment.resources("AWS::SQS::Queue")) {
    const options = toQueueOptions(resource);
    const deadLetterArn = options.deadLetterArn ?? "";
    const queue = new Queue(options, join(directory, `${options.name}.jsonl`), (message) =>
      queues.get(deadLetterArn)?.addDeadLetter(message, options.arn),
    );
    queues.set(options.arn, queue);
  }
  return queues;
}

/**
 * Returns the options of a queue from its template.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-sqs-queue.html
 */
function toQueueOptions({ attributes, properties }: DeployedResource): QueueOptions {
  const redrive = fields(properties.RedrivePolicy);
  return {
    name: attributes.QueueName ?? "",
    arn: attributes.Arn ?? "",
    visibilityTimeoutMs: number(properties.VisibilityTimeout, 30) * 1000,
    delayMs: number(properties.DelaySeconds, 0) * 1000,
    retentionMs: number(properties.MessageRetentionPeriod, 345_600) * 1000,
    maxReceiveCount: number(redrive.maxReceiveCount, Number.POSITIVE_INFINITY),
    deadLetterArn: text(redrive.deadLetterTargetArn),
  };
}
