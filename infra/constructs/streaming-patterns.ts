import type { Route } from "../../shared/api/define-route.ts";
import { SynthesisError } from "../synthesis-error.ts";

/** Converts a route path to a CloudFront path pattern, with `*` for each parameter. */
export function toPathPattern(route: Pick<Route, "path">): string {
  return route.path.replaceAll(/\{\w+\}/g, "*");
}

/**
 * Checks that the path patterns of streaming routes do not match other routes. CloudFront selects by path only, and its `*`
 * also matches slashes.
 * @throws SynthesisError when a pattern matches another route
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
