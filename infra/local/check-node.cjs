// Plain CommonJS, because this check must also run on the old Node versions that it rejects.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    "Switchboard requires Node 22.18 or newer; this is " +
      process.version +
      ". On Linux x64, `npm ci` installs a matching version. On other platforms, install a current Node.",
  );
  process.exit(1);
}
