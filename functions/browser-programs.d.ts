/** Bundled source text of the browser program in `functions/web/<name>`; see `infra/bundle/browser-program.ts`. */
declare module "browser:*" {
  const script: string;
  export default script;
}
