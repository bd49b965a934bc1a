import { dirname, join } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

export interface BundleFile {
  /** Absolute path. */
  readonly path: string;
  readonly contents: Uint8Array;
}

/**
 * Packages of model providers, each with the one export that is used. They make up half of the code of a function that calls
 * models. Each is therefore a separate file, and a function loads only that of its provider.
 */
const usedExports: Readonly<Record<string, string>> = {
  "@ai-sdk/amazon-bedrock": "createAmazonBedrock",
  "@ai-sdk/openai-compatible": "createOpenAICompatible",
};

const fileOf = (name: string) => `./${name.replace("@ai-sdk/", "")}.cjs`;

/** Finished bundles by package name. They are reused, because packages do not change while this process runs. */
const bundles = new Map<string, Promise<Uint8Array>>();

/**
 * esbuild plugin that leaves provider packages out of a bundle, which loads them from the files of `providerPackageFiles`
 * instead. Starts to bundle a package when the first import of it is found.
 * @param options options of the function bundles
 */
export function providerPackagesPlugin(root: string, options: BuildOptions): Plugin {
  return {
    name: "provider-packages",
    setup({ onResolve }) {
      const filter = new RegExp(`^(${Object.keys(usedExports).join("|")})$`);
      onResolve({ filter }, ({ path }) => {
        if (!bundles.has(path)) {
          const bundle = bundlePackage(path, root, options);
          bundles.set(path, bundle);
          // If it fails, so does the build, or `providerPackageFiles` reports it.
          bundle.catch(() => {});
        }
        return { path: fileOf(path), external: true };
      });
    },
  };
}

async function bundlePackage(name: string, root: string, options: BuildOptions): Promise<Uint8Array> {
  const stdin = { contents: `export { ${usedExports[name]} } from "${name}";`, resolveDir: root };
  const { outputFiles } = await build({ ...options, absWorkingDir: root, stdin, write: false });
  return outputFiles?.[0]?.contents ?? new Uint8Array();
}

/** Returns a file for each provider package that a bundle imports, in the directory of that bundle. */
export async function providerPackageFiles({ outputs }: Metafile, root: string): Promise<BundleFile[]> {
  const files = Object.entries(outputs).flatMap(([output, { imports }]) =>
    Object.keys(usedExports)
      .filter((name) => imports.some(({ path }) => path === fileOf(name)))
      .map((name) => ({ name, path: join(root, dirname(output), fileOf(name)) })),
  );
  return Promise.all(
    files.map(async ({ name, path }) => ({ path, contents: (await bundles.get(name)) ?? new Uint8Array() })),
  );
}
