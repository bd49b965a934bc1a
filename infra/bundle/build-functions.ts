import {
  type BuildOptions,
  build,
  context,
  type BuildResult as EsbuildResult,
  type Metafile,
  type Plugin,
} from "esbuild";
import { browserProgramPlugin } from "./browser-program.ts";
import { hasSourceMaps } from "./bundle-plan.ts";
import { evaluatedModulePlugins } from "./evaluated-module.ts";
import { type CodeForm, esbuildEntryOf, type FunctionGroup, functionGroupsPlugin } from "./function-groups.ts";
import { type BundleFile, providerPackageFiles, providerPackagesPlugin } from "./provider-packages.ts";
import { pureContractsPlugin } from "./pure-contracts.ts";

/**
 * Import patterns of modules that the functions import but never run. Replacing them by empty modules halves the bundle size.
 */
const stubbedModules = [
  // Clients of aws-lambda-stream's connectors for claim checks, event buses and encryption.
  "@aws-sdk/client-(eventbridge|kms|s3)",
  "aws-kms-ee",
  // Credential providers that Lambda does not need: its credentials are in the environment.
  "@aws-sdk/credential-provider-(env|http|ini|login|node|process|sso|web-identity)",
  "@aws-sdk/(nested-clients|token-providers)",
  "@smithy/credential-provider-imds",
  // Signatures for several regions.
  "@aws-sdk/signature-v4-multi-region",
  // Error messages of zod in fifty languages.
  "\\.\\./locales/index\\.js",
];

const stubPlugin: Plugin = {
  name: "stub",
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${stubbedModules.join("|")})(/|$)`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: "stub" }));
    onLoad({ filter: /./, namespace: "stub" }, () => ({ contents: "module.exports = {};" }));
  },
};

/** esbuild options that functions and provider packages share, in both code forms. */
const codeOptions: BuildOptions = {
  outExtension: { ".js": ".cjs" },
  bundle: true,
  platform: "node",
  target: "node24",
  // CommonJS loads faster than an ES module here, see decisions/0003.
  format: "cjs",
  // Prefer ES modules of packages, because only these can be tree-shaken.
  mainFields: ["module", "main"],
  legalComments: "none",
  logLevel: "silent",
};

/** esbuild options of minified code. Names and short lines are kept, so that stack traces are readable without source maps. */
const minification: BuildOptions = { minifySyntax: true, minifyWhitespace: true, lineLimit: 160 };

/** Files of the bundled functions, and esbuild's list of the sources in each. */
export interface BuildResult {
  readonly files: readonly BundleFile[];
  readonly metafile: Metafile;
}

function buildOptions(groups: readonly FunctionGroup[], root: string, outdir: string, form: CodeForm) {
  const options = form === "minified" ? { ...codeOptions, ...minification } : codeOptions;
  return {
    ...options,
    absWorkingDir: root,
    entryPoints: groups.map((group) => ({ in: esbuildEntryOf(group), out: `${group.name}/index` })),
    outdir,
    // A bundle that starts a worker thread starts it from its own file.
    define: { "import.meta.filename": "__filename" },
    sourcemap: hasSourceMaps() && "inline",
    plugins: [
      functionGroupsPlugin(groups, root),
      stubPlugin,
      // The local runner executes such a module in the function, which takes less time than to load the routes for it here.
      ...evaluatedModulePlugins(form === "minified"),
      pureContractsPlugin,
      providerPackagesPlugin(root, { ...options, plugins: [stubPlugin] }),
      browserProgramPlugin(root),
    ],
    write: false,
    metafile: true,
  } satisfies BuildOptions;
}

type Options = ReturnType<typeof buildOptions>;

async function withPackages({ outputFiles, metafile }: EsbuildResult<Options>, root: string): Promise<BuildResult> {
  return { files: [...outputFiles, ...(await providerPackageFiles(metafile, root))], metafile };
}

/**
 * Bundles functions in memory.
 * @throws BuildFailure if an entry point does not compile
 */
export async function buildFunctions(
  groups: readonly FunctionGroup[],
  root: string,
  outdir: string,
  form: CodeForm,
): Promise<BuildResult> {
  return withPackages(await build(buildOptions(groups, root, outdir, form)), root);
}

/** Returns a function that does the same repeatedly. It keeps parsed files in memory, and parses those that changed. */
export async function createBuilder(...[groups, root, ...others]: Parameters<typeof buildFunctions>) {
  const builder = await context(buildOptions(groups, root, ...others));
  return async () => withPackages(await builder.rebuild(), root);
}
