import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { type AreaName, getArea } from "./navigation.ts";
import { formatCount, useOpenWork } from "./open-work.ts";
import { SectionPanel } from "./ui/layout.tsx";
import { NotAllowed, NotFound } from "./ui/status.tsx";

/** Components of the sections of an area by their name in the path. They get the id of the entry that is shown. */
export type SectionViews = Readonly<Record<string, (props: { readonly id: string | null }) => JSX.Element>>;

/** Sections of an area, and the section that belongs to the path. */
export function AreaView({
  name,
  views,
  parents = {},
}: {
  readonly name: AreaName;
  readonly views: SectionViews;
  /** Sections by the names of views that are no sections, but pages of one. */
  readonly parents?: Readonly<Record<string, string>>;
}) {
  const { section, id } = useRoute().params;
  const { route } = useLocation();
  const { path: areaPath, label, sections } = getArea(name);
  const first = sections[0]?.path;
  const counts = useOpenWork();
  const isWide = matchMedia("(min-width: 761px)").matches;
  useEffect(() => {
    if (!section && isWide && first) route(first, true);
  }, [section, isWide, first, route]);
  const path = section ? `${areaPath}/${parents[section] ?? section}` : first;
  const isAllowed = sections.some((each) => each.path === path);
  const view = views[section ?? path?.split("/").at(-1) ?? ""];
  const View = isAllowed ? view : view || !section ? NotAllowed : undefined;
  return (
    <div class={`split ${section ? "detail" : "list"}`}>
      <SectionPanel
        title={label}
        sections={sections}
        countOf={(each) => formatCount(counts.get(each) ?? 0)}
        current={path ?? ""}
        isOnly={!section}
      />
      {View ? <View id={id ?? null} /> : <NotFound />}
    </div>
  );
}
