import type { Route } from "../../shared/api/define-route.ts";
import { SynthesisError } from "../synthesis-error.ts";

/** CloudFront's pattern for a route's path: a `*` for each parameter. */
export function patternOf(route: Pick<Route, "path">): string {
  return route.path.replaceAll(/\{\w+\}/g, "*");
}

/**
 * CloudFront chooses by path alone, and its `*` takes slashes, too.
 * @throws SynthesisError when a pattern of a streaming route would take another route's requests
 */
export function checkPatterns(routes: readonly Route[]): void {
  for (const streaming of routes.filter((route) => route.streaming)) {
    const taken = new RegExp(`^${patternOf(streaming).replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
    const victim = routes.find((route) => route !== streaming && taken.test(route.path));
    if (victim) {
      throw new SynthesisError(
        `${streaming.id} streams ${streaming.path}, and would take the requests of ${victim.id} (${victim.method} ${victim.path}), too.`,
      );
    }
  }
}
