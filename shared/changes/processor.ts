import { fromDynamodb } from "aws-lambda-stream/from/dynamodb";
import { initialize } from "aws-lambda-stream/pipelines";
import { toPromise } from "aws-lambda-stream/utils/handler";
import highland from "highland";
import { isTransient } from "../dynamodb/retryable-errors.ts";
import { publishFaults } from "./faults.ts";

/** A change of one item of the table. */
export interface Change {
  /** Of the stream record; the same whenever the record is delivered again. */
  readonly id: string;
  /** `<discriminator>-created`, `-updated`, `-deleted` (an item marked `deleted` counts as such). */
  readonly type: string;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly before: Record<string, unknown> | undefined;
  readonly after: Record<string, unknown> | undefined;
}

/** What follows from changes of some types. It must be idempotent: changes are delivered at least once. */
export interface Rule {
  readonly id: string;
  readonly on: readonly string[];
  /** Changes it works on at the same time; by default 8. */
  readonly defaultConcurrency?: number;
  apply(change: Change): Promise<void>;
}

/** Changes one rule works on at the same time, unless it says otherwise. */
const parallel = 8;

/**
 * A failure that may pass leaves the unit of work out: the batch fails and is delivered again. A real fault takes its
 * record along to the fault queue, and the others go on.
 */
function withFault(unit: StreamUnitOfWork) {
  return (error: unknown): never => {
    throw isTransient(error)
      ? error
      : Object.assign(error instanceof Error ? error : new Error(String(error)), { uow: unit });
  };
}

const changeOf = ({ event: { id, type, timestamp, raw } }: StreamUnitOfWork): Change => ({
  id,
  type,
  timestamp,
  before: raw.old,
  after: raw.new,
});

const pipelineOf = (rule: Rule) => () => (stream: HighlandStream<StreamUnitOfWork>) =>
  stream
    .filter((unit) => rule.on.includes(unit.event.type))
    .map((unit) => highland(rule.apply(changeOf(unit)).catch(withFault(unit))))
    .parallel(rule.defaultConcurrency ?? parallel);

/** A DynamoDB stream processor out of rules, with aws-lambda-stream as its frame. */
export function processor(rules: readonly Rule[]) {
  const pipelines = Object.fromEntries(rules.map((rule) => [rule.id, pipelineOf(rule)]));
  return async (event: unknown): Promise<void> => {
    await toPromise(initialize(pipelines, { publish: publishFaults }).assemble(fromDynamodb(event)));
  };
}
