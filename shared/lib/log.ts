import { env } from "./env.ts";
import { findTraceContext } from "./tracing/trace-context.ts";

const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

let threshold: number | undefined;

/** Converts errors to plain objects, because `JSON.stringify` omits their properties. */
function toSerializable(value: unknown): unknown {
  return value instanceof Error
    ? {
        name: value.name,
        message: value.message,
        stack: value.stack,
        ...("code" in value && { code: value.code }),
        cause: value.cause === value ? undefined : toSerializable(value.cause),
      }
    : value;
}

function write(level: Level, message: string, fields: Record<string, unknown>): void {
  threshold ??= levels.indexOf(env("LOG_LEVEL").LOG_LEVEL as Level);
  if (levels.indexOf(level) < threshold) return;
  const entries = Object.entries(fields).map(([name, value]) => [name, toSerializable(value)]);
  const time = new Date().toISOString();
  const line = { level, message, time, ...findTraceContext(), ...Object.fromEntries(entries) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/**
 * Structured log with one JSON line per entry. Do not log message contents, credentials or secrets. Lines go to stdout
 * directly, because with JSON logging Lambda would wrap console output in a further JSON object. `logRetentionDays` in
 * `infra/config.ts` is the retention period.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
export const log = {
  debug: (message: string, fields: Record<string, unknown> = {}) => write("debug", message, fields),
  info: (message: string, fields: Record<string, unknown> = {}) => write("info", message, fields),
  warn: (message: string, fields: Record<string, unknown> = {}) => write("warn", message, fields),
  error: (message: string, fields: Record<string, unknown> = {}) => write("error", message, fields),
};
