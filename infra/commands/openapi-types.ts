import { registerHooks } from "node:module";

/** URL scheme under which a module with the compiler API of TypeScript 5 is imported. */
const redirect = "typescript-5:";

/**
 * Generates the types of an OpenAPI document. `openapi-typescript` uses the compiler API of TypeScript 5, which TypeScript 7
 * does not have, so its import is redirected to the copy in `@ts-morph/common`.
 */
export async function generateTypes(document: object): Promise<string> {
  const hooks = registerHooks({
    resolve(name, context, next) {
      if (name !== "typescript") return next(name, context);
      const { url } = next("@ts-morph/common", context);
      return { url: redirect + url, format: "module", shortCircuit: true };
    },
    load(url, context, next) {
      if (!url.startsWith(redirect)) return next(url, context);
      const common = JSON.stringify(url.slice(redirect.length));
      return {
        source: `import common from ${common}; export default common.ts;`,
        format: "module",
        shortCircuit: true,
      };
    },
  });
  try {
    const { default: generate, astToString } = await import("openapi-typescript");
    // The generator resolves references in place.
    return astToString(await generate(structuredClone(document) as Parameters<typeof generate>[0]));
  } finally {
    hooks.deregister();
  }
}
