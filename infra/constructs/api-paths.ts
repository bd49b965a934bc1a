import { CfnResource as CfnPath, type CfnRestApi } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import { SynthesisError } from "../synthesis-error.ts";

/** The tree of an API's paths; a path is made, with those above it, when somebody first asks for it. */
export class ApiPaths extends Construct {
  readonly #api: CfnRestApi;
  readonly #resourceIds = new Map<string, string>();
  readonly #parameters = new Map<string, string>();

  constructor(api: CfnRestApi) {
    super(api, "Paths");
    this.#api = api;
    this.#resourceIds.set("", api.attrRootResourceId);
  }

  /** Every path so far with its resource id, the root's empty path and those between included. */
  get all(): ReadonlyMap<string, string> {
    return this.#resourceIds;
  }

  /** The id of the resource at `/v1/things/{id}`. */
  resourceId(path: string): string {
    const known = this.#resourceIds.get(path);
    if (known !== undefined) return known;
    const cut = path.lastIndexOf("/");
    const [parent, pathPart] = [path.slice(0, cut), path.slice(cut + 1)];
    this.#checkParameter(parent, pathPart);
    const resource = new CfnPath(this, path.slice(1).replaceAll("/", "-"), {
      restApiId: this.#api.ref,
      parentId: this.resourceId(parent),
      pathPart,
    });
    this.#resourceIds.set(path, resource.ref);
    return resource.ref;
  }

  /** API Gateway takes one parameter a level and would refuse the second at deployment only. */
  #checkParameter(parent: string, pathPart: string): void {
    if (!/^\{\w+\}$/.test(pathPart)) return;
    const other = this.#parameters.get(parent) ?? pathPart;
    this.#parameters.set(parent, pathPart);
    if (other === pathPart) return;
    throw new SynthesisError(`Below ${parent} a parameter is called ${other} in one route and ${pathPart} in another.`);
  }
}
