import { Duration } from "aws-cdk-lib";
import type { Config } from "./config.ts";

/** Memory and timeout of a function. */
export interface FunctionKind {
  readonly memoryMb: number;
  readonly timeout: Duration;
}

/** Functions by purpose. Decision 0023 has the measurements behind the memory. */
const kinds = {
  /** API Gateway's integration timeout is 29 seconds; a longer one of the function has no effect. */
  api: { memoryMb: 512, timeout: Duration.seconds(29) },
  authorizer: { memoryMb: 256, timeout: Duration.seconds(10) },
  streaming: { memoryMb: 256, timeout: Duration.minutes(15) },
  /** Jobs that generate replies. */
  modelJob: { memoryMb: 256, timeout: Duration.minutes(15) },
  /** Job that reads uploaded files. */
  fileJob: { memoryMb: 1536, timeout: Duration.minutes(2) },
  /** Stream processors and all other jobs. */
  changes: { memoryMb: 256, timeout: Duration.minutes(1) },
  /** Scheduled functions that read the data of all tenants. */
  allTenants: { memoryMb: 1024, timeout: Duration.minutes(15) },
  /** Stream processor that indexes documents. */
  indexing: { memoryMb: 1024, timeout: Duration.minutes(2) },
} as const satisfies Readonly<Record<string, FunctionKind>>;

export type FunctionKindName = keyof typeof kinds;

/** Returns memory and timeout of a kind in a stage. More memory is more CPU: operations in production have twice as much. */
export function functionKind(name: FunctionKindName, { isProduction }: Pick<Config, "isProduction">): FunctionKind {
  return name === "api" && isProduction ? { ...kinds.api, memoryMb: 1024 } : kinds[name];
}
