import { getEnvironment } from "../../shared/lib/env.ts";

/** Interval in ms at which the parent process is looked at. */
const INTERVAL_MS = 500;

/**
 * Terminates this process when npm has ended that started it. npm passes a signal on to a shell, and the shell ends without passing it
 * on.
 * @param ppid the parent process at the start
 */
export function stopWithNpm(ppid = process.ppid): void {
  if (getEnvironment().npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, INTERVAL_MS);
  timer.unref();
}
