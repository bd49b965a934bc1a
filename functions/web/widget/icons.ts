/** SVG paths of the 24 × 24 icons. */
export const icons = {
  chat: "M12 3C6.8 3 3 6.5 3 11c0 2.4 1.2 4.5 3 6v4l3.9-2.3c.7.1 1.4.2 2.1.2 5.2 0 9-3.5 9-8s-3.8-7.9-9-7.9z",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 20V5M5.5 11.5L12 5l6.5 6.5",
  stop: "M8 8h8v8H8z",
  fresh: "M12 5v14M5 12h14",
  down: "M12 5v14M5.5 12.5L12 19l6.5-6.5",
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "M5 12.5l4.5 4.5L19 7.5",
  thumbUp: "M7 11v9H4v-9zM7 11l4-8c1.6 0 2.5 1 2.5 2.5V9H19a2 2 0 0 1 2 2.3l-1.2 7A2 2 0 0 1 17.8 20H7",
  thumbDown: "M17 13V4h3v9zM17 13l-4 8c-1.6 0-2.5-1-2.5-2.5V15H5a2 2 0 0 1-2-2.3l1.2-7A2 2 0 0 1 6.2 4H17",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.6-6 8-6s8 2 8 6",
} as const;
