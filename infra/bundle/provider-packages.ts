import { dirname, join } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

export interface BundleFile {
  /** Absolute path. */
  readonly path: string;
  readonly contents: Uint8Array;
}

/**
 * Packages of model providers, with the export that is used of each. They make up half of the code of a function that calls
 * models. Each package is therefore a separate file next to the bundle, and a function loads only the file of its provider.
 */
const usedExports: Readonly<Record<string, string>> = {
  "@ai-sdk/amazon-bedrock": "createAmazonBedrock",
  "@ai-sdk/openai-compatible": "createOpenAICompatible",
};

const fileOf = (name: string) => `./${name.replace("@ai-sdk/", "")}.cjs`;

/** Leaves the packages of providers out of a bundle, which loads them from the files of `providerPackageFiles`. */
export const providerPackagesPlugin: Plugin = {
  name: "provider-packages",
  setup({ onResolve }) {
    const filter = new RegExp(`^(${Object.keys(usedExports).join("|")})$`);
    onResolve({ filter }, ({ path }) => ({ path: fileOf(path), external: true }));
  },
};

/** Bundled packages by name: they do not change while this process runs. */
const bundles = new Map<string, Promise<Uint8Array>>();

/**
 * Bundles a package with the options of the function bundles.
 * @param options esbuild options, without the plugin
 */
async function bundlePackage(name: string, root: string, options: BuildOptions): Promise<Uint8Array> {
  const stdin = { contents: `export { ${usedExports[name]} } from "${name}";`, resolveDir: root };
  const { outputFiles } = await build({ ...options, absWorkingDir: root, stdin, write: false });
  return outputFiles?.[0]?.contents ?? new Uint8Array();
}

/** Returns the files of the packages that bundles import, each next to its bundle. */
export async function providerPackageFiles(
  { outputs }: Metafile,
  root: string,
  options: BuildOptions,
): Promise<BundleFile[]> {
  const files = Object.entries(outputs).flatMap(([output, { imports }]) =>
    Object.keys(usedExports)
      .filter((name) => imports.some(({ path }) => path === fileOf(name)))
      .map((name) => ({ name, path: join(root, dirname(output), fileOf(name)) })),
  );
  return Promise.all(
    files.map(async ({ name, path }) => {
      const bundle = bundles.get(name) ?? bundlePackage(name, root, options);
      bundles.set(name, bundle);
      return { path, contents: await bundle };
    }),
  );
}
