import { randomUUID } from "node:crypto";
import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { account, region } from "../assembly/local-account.ts";
import { matchesEventPattern } from "../event-sources/event-filter.ts";
import { type Fields, fields, list, text } from "../json.ts";
import { md5, type Queue } from "../queues/queue.ts";

export interface CreatedObject {
  key: string;
  size: number;
  etag: string;
}

/**
 * Returns a function that announces a created object: it sends an event to the queues in the bucket's notification
 * configuration, and to those of matching EventBridge rules if the bucket uses EventBridge.
 */
export function bucketNotifier(
  bucket: DeployedResource,
  deployment: Deployment,
  queues: ReadonlyMap<string, Queue>,
): (object: CreatedObject) => void {
  const { QueueConfigurations, EventBridgeConfiguration } = fields(bucket.properties.NotificationConfiguration);
  const findQueue = (arn: unknown) => queues.get(text(arn) ?? "") ?? [];
  const notified = list(QueueConfigurations)
    .map(fields)
    .filter(({ Event }) => text(Event)?.startsWith("s3:ObjectCreated:"))
    .flatMap(({ Queue: arn }) => findQueue(arn));
  const rules = deployment
    .resources("AWS::Events::Rule")
    .filter(({ properties }) => properties.EventPattern !== undefined && properties.State !== "DISABLED");
  const sendsEvents = fields(EventBridgeConfiguration).EventBridgeEnabled === true;
  return (object) => {
    for (const queue of notified) queue.send(JSON.stringify(toNotification(bucket, object)));
    const event = toEvent(bucket, object);
    for (const { properties } of sendsEvents ? rules : []) {
      if (!matchesEventPattern(fields(properties.EventPattern), event)) continue;
      for (const queue of list(properties.Targets).flatMap((target) => findQueue(fields(target).Arn))) {
        queue.send(JSON.stringify(event));
      }
    }
  };
}

const sequencerOf = (key: string) => md5(key).slice(0, 16);

/**
 * Returns the S3 event for a created object.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
function toNotification({ ref, attributes }: DeployedResource, { key, size, etag }: CreatedObject): Fields {
  const encodedKey = encodeURIComponent(key).replaceAll("%2F", "/");
  const object = { key: encodedKey, size, eTag: etag, sequencer: sequencerOf(key) };
  return {
    Records: [
      {
        eventVersion: "2.1",
        eventSource: "aws:s3",
        awsRegion: region,
        eventTime: new Date().toISOString(),
        eventName: "ObjectCreated:Put",
        s3: { s3SchemaVersion: "1.0", bucket: { name: ref, arn: attributes.Arn }, object },
      },
    ],
  };
}

/**
 * Returns the EventBridge event for a created object.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
 */
function toEvent({ ref, attributes }: DeployedResource, { key, size, etag }: CreatedObject): Fields {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Object Created",
    source: "aws.s3",
    account,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region,
    resources: [attributes.Arn],
    detail: {
      version: "0",
      bucket: { name: ref },
      object: { key, size, etag, sequencer: sequencerOf(key) },
      reason: "PutObject",
    },
  };
}
