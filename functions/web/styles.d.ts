/** Minified text of a style sheet. */
declare module "*.css" {
  const css: string;
  export default css;
}
