/**
 * Writes the list of the packages that are deployed, with versions, licenses and hashes, in CycloneDX's format.
 * `npm run sbom [-- <file>]`; without a file, to the output
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import packageJson from "../../package.json" with { type: "json" };

interface Component {
  readonly "bom-ref": string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

const { name, version } = packageJson;
// npm leaves out packages of both kinds with `--omit=dev`.
const options = ["--sbom-format=cyclonedx", "--sbom-type=application"];
const { metadata, components, dependencies, ...bom } = JSON.parse(
  execFileSync("npm", ["sbom", ...options], { encoding: "utf8", maxBuffer: 256 * 1_048_576 }),
);
const isTool = ({ properties = [] }: Component) =>
  properties.some((property) => property.name === "cdx:npm:package:development" && property.value === "true");
const deployed = (components as readonly Component[]).filter((component) => !isTool(component));
const references = new Set([metadata.component["bom-ref"], ...deployed.map((component) => component["bom-ref"])]);
const edges = (dependencies as readonly { readonly ref: string; readonly dependsOn: readonly string[] }[])
  .filter(({ ref }) => references.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => references.has(each)) }));
// npm names the application after its folder.
const component = { ...metadata.component, name, version };
const list = { ...bom, metadata: { ...metadata, component }, components: deployed, dependencies: edges };
const text = `${JSON.stringify(list, null, 2)}\n`;
const [file] = process.argv.slice(2);
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
