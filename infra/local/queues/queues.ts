import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Deployed, Deployment } from "../assembly/deployment.ts";
import { fields, number, text } from "../json.ts";
import { Queue, type QueueOptions } from "./queue.ts";

/**
 * The app's queues by ARN, with their messages in `directory`.
 * @throws Failure when a queue's file cannot be read
 */
export function queuesOf(deployment: Deployment, directory: string): Map<string, Queue> {
  mkdirSync(directory, { recursive: true });
  const queues = new Map<string, Queue>();
  for (const resource of deployment.resources("AWS::SQS::Queue")) {
    const options = optionsOf(resource);
    const deadLetters = options.deadLetterArn ?? "";
    const queue = new Queue(options, join(directory, `${options.name}.jsonl`), (message) =>
      queues.get(deadLetters)?.adopt(message),
    );
    queues.set(options.arn, queue);
  }
  return queues;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-sqs-queue.html */
function optionsOf({ attributes, properties }: Deployed): QueueOptions {
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
