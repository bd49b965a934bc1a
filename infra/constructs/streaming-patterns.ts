import type { Route } from "../../shared/api/define-route.ts";
import { SynthesisError } from "../synthesis-error.ts";

/** Converts the path of a route to a CloudFront path pattern, with `*` for each parameter. */
export function toPathPattern(route: Pick<Route, "path">): string {
  return route.path.replaceAll(/\{\w+\}/g, "*");
}

/**
 * Checks that the path pattern of a streaming route matches no other route. CloudFront selects the origin by path only, and
 * its `*` also matches slashes.
 * @throws SynthesisError if a pattern matches another route
 */
export function checkPathPatterns(routes: readonly Route[]): void {
  for (const streaming of routes.filter((route) => route.streaming)) {
    const pattern = new RegExp(`^${toPathPattern(streaming).replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
    const conflict = routes.find((route) => route !== streaming && pattern.test(route.path));
    if (conflict) {
      throw new SynthesisError(
        `The path pattern of streaming route ${streaming.id} (${streaming.path}) also matches ${conflict.id} (${conflict.method} ${conflict.path}).`,
      );
    }
  }
}
