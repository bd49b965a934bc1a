/** Types for the parts of aws-lambda-stream 1.0.0 and highland 2 in use; neither package ships its own. */

interface HighlandStream<Value> {
  filter(predicate: (value: Value) => boolean): HighlandStream<Value>;
  map<Result>(transform: (value: Value) => Result): HighlandStream<Result>;
  parallel<Inner>(this: HighlandStream<HighlandStream<Inner>>, streams: number): HighlandStream<Inner>;
  through<Result>(transform: (stream: HighlandStream<Value>) => HighlandStream<Result>): HighlandStream<Result>;
}

interface StreamUnitOfWork {
  readonly pipeline?: string;
  readonly record: {
    readonly dynamodb: {
      readonly NewImage?: Record<string, unknown>;
      readonly OldImage?: Record<string, unknown>;
    };
  };
  readonly event: {
    readonly id: string;
    /** `<discriminator>-created`, `-updated`, `-deleted` or `-undeleted`. */
    readonly type: string;
    readonly partitionKey: string;
    /** Epoch milliseconds. */
    readonly timestamp: number;
    readonly raw: {
      readonly new?: Record<string, unknown> | undefined;
      readonly old?: Record<string, unknown> | undefined;
    };
  };
}

declare module "highland" {
  export default function highland<Value>(source: Promise<Value> | readonly Value[]): HighlandStream<Value>;
}

declare module "aws-lambda-stream/from/dynamodb" {
  export function fromDynamodb(event: unknown): HighlandStream<StreamUnitOfWork>;
}

declare module "aws-lambda-stream/pipelines" {
  type Pipeline = (options: { id: string }) => (stream: HighlandStream<StreamUnitOfWork>) => HighlandStream<unknown>;
  type Publish = (options: unknown) => (stream: HighlandStream<{ event: unknown }>) => HighlandStream<unknown>;
  export function initialize(
    pipelines: Record<string, Pipeline>,
    options: { publish: Publish },
  ): { assemble(head: HighlandStream<StreamUnitOfWork>, includeFaultHandler?: boolean): HighlandStream<unknown> };
}

declare module "aws-lambda-stream/utils/handler" {
  export function toPromise(stream: HighlandStream<unknown>): Promise<"Success">;
}
