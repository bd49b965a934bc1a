import { Duration } from "aws-cdk-lib";
import type { Config } from "./config.ts";

/** Memory and timeout of a function. */
interface FunctionKind {
  readonly memoryMb: number;
  readonly timeout: Duration;
}

/**
 * Memory and timeout by the purpose of a function. Decision 0023 has the measurements behind the memory. The stacks
 * name the kind of each function (`kind`); reserved concurrency is in `config.ts`.
 */
const kinds = {
  /** Functions behind API Gateway, whose integration timeout is 29 seconds; a longer timeout would have no effect. */
  api: { memoryMb: 512, timeout: Duration.seconds(29) },
  authorizer: { memoryMb: 256, timeout: Duration.seconds(10) },
  streaming: { memoryMb: 256, timeout: Duration.minutes(15) },
  /** Job `continue-run`, which generates replies. */
  modelJob: { memoryMb: 256, timeout: Duration.minutes(15) },
  /** Job `process-file`, which extracts the text of uploaded files. */
  fileJob: { memoryMb: 1536, timeout: Duration.minutes(2) },
  /**
   * The jobs, stream processors and scheduled functions without a kind of their own, such as `delete-data`, `build-export`,
   * `apply-retention` and `cascade`.
   */
  changes: { memoryMb: 256, timeout: Duration.minutes(1) },
  /** Stream processor `index-documents`. */
  indexing: { memoryMb: 1024, timeout: Duration.minutes(2) },
} as const satisfies Readonly<Record<string, FunctionKind>>;

export type FunctionKindName = keyof typeof kinds;

/**
 * Returns memory and timeout of a kind in a stage. In production, `api` has twice the memory of other stages, because more
 * memory is more CPU.
 */
export function functionKind(name: FunctionKindName, { isProduction }: Pick<Config, "isProduction">): FunctionKind {
  return name === "api" && isProduction ? { ...kinds.api, memoryMb: 1024 } : kinds[name];
}
