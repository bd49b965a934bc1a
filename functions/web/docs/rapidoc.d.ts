/** Defines the custom element `rapi-doc`. */
declare module "rapidoc";
