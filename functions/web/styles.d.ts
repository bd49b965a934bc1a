/** A style sheet's text, without what only people need. */
declare module "*.css" {
  const css: string;
  export default css;
}
