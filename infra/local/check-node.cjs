// Plain CommonJS: it must run on the old Node that it complains about.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    "Switchboard needs Node 22.18 or newer, and this is " +
      process.version +
      ". On Linux x64 `npm ci` brings its own; elsewhere please install a current Node.",
  );
  process.exit(1);
}
