import { CfnResource as CfnPath, type CfnRestApi } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import { inLanes } from "../lanes.ts";
import { SynthesisError } from "../synthesis-error.ts";

/** Number of resources that CloudFormation creates at once; API Gateway accepts five `CreateResource` a second in an account. */
const PATH_LANES = 4;

/** Resource tree of an API. Resources are created on first use, together with their parents. */
export class ApiPaths extends Construct {
  readonly #api: CfnRestApi;
  readonly #resourceIds = new Map<string, string>();
  readonly #parameters = new Map<string, string>();
  readonly #created: CfnPath[] = [];

  constructor(api: CfnRestApi) {
    super(api, "Paths");
    this.#api = api;
    this.#resourceIds.set("", api.attrRootResourceId);
  }

  /** Resource ids by path, including the root (empty path) and intermediate paths. */
  get all(): ReadonlyMap<string, string> {
    return this.#resourceIds;
  }

  /** Returns the id of the resource at a path such as `/v1/things/{id}`. */
  resourceId(path: string): string {
    const existing = this.#resourceIds.get(path);
    if (existing !== undefined) return existing;
    const lastSlash = path.lastIndexOf("/");
    const [parent, pathPart] = [path.slice(0, lastSlash), path.slice(lastSlash + 1)];
    this.#checkParameter(parent, pathPart);
    const parentId = this.resourceId(parent);
    const resource = new CfnPath(this, path.slice(1).replaceAll("/", "-"), {
      restApiId: this.#api.ref,
      parentId,
      pathPart,
    });
    inLanes(this.#created, resource, PATH_LANES);
    this.#resourceIds.set(path, resource.ref);
    return resource.ref;
  }

  /** Checks that each level has only one parameter name. API Gateway would reject a second one, but only at deployment. */
  #checkParameter(parent: string, pathPart: string): void {
    if (!/^\{\w+\}$/.test(pathPart)) return;
    const existing = this.#parameters.get(parent) ?? pathPart;
    this.#parameters.set(parent, pathPart);
    if (existing === pathPart) return;
    throw new SynthesisError(`Conflicting path parameters below ${parent}: ${existing} and ${pathPart}. Use one name.`);
  }
}
