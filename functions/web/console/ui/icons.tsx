/** Paths of the icons on a grid of 24 by 24, drawn as lines. */
const paths = {
  chat: "M21 12a8 8 0 0 1-8 8H4l1.6-3.4A8 8 0 1 1 21 12Z",
  book: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3V4Zm0 13a3 3 0 0 1 3-3h11",
  blocks: "M4 4h7v7H4zM13 13h7v7h-7zM16.5 3.5v7M13 7h7M4 13h7v7H4z",
  shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6l7-3Zm-3 9 2 2 4-4",
  help: "M12 17v.01M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.5-1.1 1-1.1 1.9M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  search: "M20 20l-4.5-4.5M17.5 11a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0Z",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  down: "M5 9l7 7 7-7",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  retry: "M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6",
  edit: "M4 20l1-4L16.5 4.5l3 3L8 19l-4 1ZM14 7l3 3",
  attach:
    "M19 11.500l-7.500 7.500a4.600 4.600 0 0 1-6.500-6.500l8-8a3.100 3.100 0 0 1 4.400 4.400l-8 8a1.500 1.500 0 0 1-2.200-2.200l7-7",
  trash: "M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  reply: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6v1",
  share: "M12 15V4M8 8l4-4 4 4M5 12v8h14v-8",
  download: "M12 4v11M8 11l4 4 4-4M5 20h14",
  upload: "M12 16V5M8 9l4-4 4 4M5 20h14",
  up: "M7 11v9H4v-9h3Zm0 0 4-8c1.7 0 2.6 1.2 2.2 2.8L12.5 9H18a2 2 0 0 1 2 2.4l-1.3 7A2 2 0 0 1 16.7 20H7",
  thumbDown: "M7 13V4H4v9h3Zm0 0 4 8c1.7 0 2.6-1.2 2.2-2.8L12.5 15H18a2 2 0 0 0 2-2.4l-1.3-7A2 2 0 0 0 16.7 4H7",
  folder: "M3 7a2 2 0 0 1 2-2h4l2 2.5h8a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7Z",
  pin: "M9 4h6l-1 6 3 3v1H7v-1l3-3-1-6ZM12 14v6",
  more: "M5 12h.01M5 11.7v.6M12 11.7v.6M19 11.7v.6",
  document: "M6 3h8l5 5v13H6V3Zm8 0v5h5M9 13h7M9 17h7",
  sparkle: "M12 4l1.8 5.2L19 11l-5.2 1.8L12 18l-1.8-5.2L5 11l5.2-1.8L12 4ZM19 17v4M17 19h4",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 8c.6-3.6 3.8-5 8-5s7.4 1.4 8 5",
  people:
    "M9 12a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6.5 7c.5-3 3-4.2 6.500-4.200S15 16 15.500 19M16 5.500a3.300 3.300 0 0 1 0 6.400M18 15c2 .4 3.200 1.700 3.500 4",
  key: "M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm3-7 8-8M16 7l3 3M13.500 9.500l2 2",
  bolt: "M13 3L5 13h6l-1 8 8-11h-6l1-7Z",
  window: "M3 5h18v14H3zM3 9h18M6 7h.01",
  chart: "M4 20h16M7 16v-5M12 16V6M17 16v-8",
  inbox: "M4 13l2.500-8h11L20 13v6H4v-6Zm0 0h5l1 2.500h4l1-2.500h5",
  sliders: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  list: "M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01",
  database:
    "M5 6c0-1.700 3.100-3 7-3s7 1.300 7 3-3.100 3-7 3-7-1.300-7-3Zm0 0v12c0 1.700 3.100 3 7 3s7-1.300 7-3V6M5 12c0 1.700 3.100 3 7 3s7-1.300 7-3",
  warning:
    "M12 9v5M12 17v.01M10.500 4.500 2.800 18a1.700 1.700 0 0 0 1.500 2.500h15.400a1.700 1.700 0 0 0 1.500-2.500L13.500 4.500a1.700 1.700 0 0 0-3 0Z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 3v1M12 20v1M3 12h1M20 12h1M5.600 5.600l.7.7M17.700 17.700l.7.7M5.600 18.400l.7-.7M17.700 6.300l.7-.7",
  moon: "M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500Z",
  globe:
    "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0ZM3.500 9.500h17M3.500 14.500h17M12 3c2.500 2.600 3.500 5.600 3.500 9s-1 6.400-3.500 9c-2.500-2.600-3.500-5.600-3.500-9s1-6.400 3.500-9Z",
  exit: "M10 4H5v16h5M14 8l4 4-4 4M9 12h9",
  menu: "M4 7h16M4 12h16M4 17h16",
  wrap: "M4 6h16M4 12h13a3.500 3.500 0 0 1 0 7h-4M15 16.500l-2.500 2.500 2.500 2.500M4 18h4",
  quote: "M9 8H5v5h4v-5Zm0 5c0 2-1 3-3 4M19 8h-4v5h4v-5Zm0 5c0 2-1 3-3 4",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16",
  clock: "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0ZM12 7v5l3.500 2",
} as const;

export const iconNames = Object.keys(paths) as readonly IconName[];

export type IconName = keyof typeof paths;

/** Icons that point along the text, and are mirrored where it runs from right to left. */
const directional: ReadonlySet<IconName> = new Set(["back", "next", "reply", "exit", "list", "wrap"]);

/** Decorative icon; the control around it has the name. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={directional.has(name) ? "icon directional" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
