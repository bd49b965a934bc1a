import type { Deployment } from "../assembly/deployment.ts";
import type { Bucket } from "../buckets/buckets.ts";
import type { FunctionHost } from "../functions/function-host.ts";
import { text } from "../json.ts";
import { warn } from "../log.ts";
import type { Queue } from "../queues/queue.ts";
import { ChangeFeed } from "./change-feed.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { QueueFeed } from "./queue-feed.ts";

interface EventSourceOptions {
  host: FunctionHost;
  tableEndpoint: string;
  queues: Map<string, Queue>;
  buckets: Map<string, Bucket>;
  checkpoints: Checkpoints;
}

/** The running event source mappings of the app. */
export interface EventSources {
  /** Tells the stream feeds that a table was probably written, so that they poll sooner. */
  nudge(): void;
  close(): Promise<void>;
}

/** Starts every enabled `AWS::Lambda::EventSourceMapping` on a DynamoDB stream or an SQS queue. */
export function startEventSources(deployment: Deployment, options: EventSourceOptions): EventSources {
  const changeFeeds: ChangeFeed[] = [];
  const queueFeeds: QueueFeed[] = [];
  for (const { path, properties: mapping } of deployment.resources("AWS::Lambda::EventSourceMapping")) {
    const source = text(mapping.EventSourceArn) ?? "";
    const lambda = options.host.find(text(mapping.FunctionName) ?? "");
    const queue = options.queues.get(source);
    if (!lambda || mapping.Enabled === false) continue;
    if (source.includes(":dynamodb:")) changeFeeds.push(new ChangeFeed({ ...options, name: path, mapping, lambda }));
    else if (queue) queueFeeds.push(new QueueFeed(queue, mapping, lambda, options.host));
    else warn(lambda.name, `event source not supported locally: ${source}`);
  }
  return {
    nudge() {
      for (const feed of changeFeeds) feed.nudge();
    },
    async close() {
      await Promise.all([...changeFeeds, ...queueFeeds].map((feed) => feed.close()));
      options.checkpoints.flush();
    },
  };
}
