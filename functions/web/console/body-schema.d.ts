type ApiPaths = import("../../../shared/client/index.ts").Paths;

type JsonBody<Operation> = Operation extends { requestBody: { content: { "application/json": infer Body } } }
  ? Body
  : never;

/** Type of the JSON body of an operation, as clients send it. */
type BodyOf<Path extends keyof ApiPaths, Verb extends keyof ApiPaths[Path]> = JsonBody<ApiPaths[Path][Verb]>;

/** JSON Schema of a request body, which carries the type of the body. */
type BodySchema<Body> = Readonly<Record<string, unknown>> & { readonly body?: Body };

/**
 * Returns the schema of the request body of an operation. The bundler replaces calls by their results
 * (`infra/bundle/body-schemas.ts`), so both arguments must be literals.
 */
declare function bodySchema<Path extends keyof ApiPaths, Verb extends keyof ApiPaths[Path]>(
  path: Path,
  method: Verb,
): BodySchema<BodyOf<Path, Verb>>;
