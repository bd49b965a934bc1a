import { NestedStack, Stack } from "aws-cdk-lib";
import { CfnResource as CfnPath, type CfnRestApi } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import { inLanes } from "../lanes.ts";
import { SynthesisError } from "../synthesis-error.ts";

/**
 * Number of resources that CloudFormation creates concurrently. API Gateway accepts five calls of `CreateResource` per second
 * in an account.
 */
const PATH_LANES = 4;

/**
 * Paths whose resources, and those below them, are in a nested stack, because a stack can have at most 500 resources. A
 * deployed path must not change its stack: CloudFormation would create it again before deleting it.
 */
const nestedPaths = [
  "/openai/v1/conversations",
  "/openai/v1/responses/input_tokens",
  "/openai/v1/responses/{id}/cancel",
  "/openai/v1/responses/{id}/input_items",
  "/v1/investigations/{id}/updates",
  "/v1/slack/events",
  "/v1/slack/installations",
  "/v1/teams",
  "/v1/tenant/embed-keys/{id}/questions",
  "/v1/tenant/embed-keys/{id}/sessions",
];

const isNested = (path: string) => nestedPaths.some((nested) => path === nested || path.startsWith(`${nested}/`));

/** Resource tree of a REST API. Creates the resource of a path, and its parents, when its id is first requested. */
export class ApiPaths extends Construct {
  readonly #api: CfnRestApi;
  readonly #resourceIds = new Map<string, string>();
  readonly #parameters = new Map<string, string>();
  readonly #created = new Map<Construct, CfnPath[]>();
  #nested: NestedStack | undefined;

  constructor(api: CfnRestApi) {
    super(api, "Paths");
    this.#api = api;
    this.#resourceIds.set("", api.attrRootResourceId);
  }

  /** Resource ids by path, including the root (empty path) and paths without methods. */
  get all(): ReadonlyMap<string, string> {
    return this.#resourceIds;
  }

  get nestedStacks(): readonly NestedStack[] {
    return this.#nested ? [this.#nested] : [];
  }

  /** Returns the construct scope for the resource at a path and for its methods. */
  scopeOf(path: string): Construct {
    if (!isNested(path)) return this;
    if (this.#nested) return this.#nested;
    this.#nested = new NestedStack(Stack.of(this), "MorePaths", { description: "Switchboard API: further paths" });
    // Resources are not created in both stacks at the same time, because of the quota.
    this.#nested.node.addDependency(this);
    return this.#nested;
  }

  /** Returns the id of the resource at a path such as `/v1/things/{id}`, which it creates on the first call. */
  resourceId(path: string): string {
    const existing = this.#resourceIds.get(path);
    if (existing !== undefined) return existing;
    const lastSlash = path.lastIndexOf("/");
    const [parent, pathPart] = [path.slice(0, lastSlash), path.slice(lastSlash + 1)];
    this.#checkParameter(parent, pathPart);
    const parentId = this.resourceId(parent);
    const scope = this.scopeOf(path);
    const resource = new CfnPath(scope, path.slice(1).replaceAll("/", "-"), {
      restApiId: this.#api.ref,
      parentId,
      pathPart,
    });
    const created = this.#created.get(scope) ?? [];
    this.#created.set(scope, created);
    inLanes(created, resource, PATH_LANES);
    this.#resourceIds.set(path, resource.ref);
    return resource.ref;
  }

  /**
   * Checks that the parameters below a path have the same name, because API Gateway rejects a second name only at deployment.
   * @throws SynthesisError
   */
  #checkParameter(parent: string, pathPart: string): void {
    if (!/^\{\w+\}$/.test(pathPart)) return;
    const existing = this.#parameters.get(parent) ?? pathPart;
    this.#parameters.set(parent, pathPart);
    if (existing === pathPart) return;
    throw new SynthesisError(`Conflicting path parameters below ${parent}: ${existing} and ${pathPart}. Use one name.`);
  }
}
