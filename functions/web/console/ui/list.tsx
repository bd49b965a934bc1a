import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import type { PagedList } from "../lib/pages.ts";
import { Button } from "./buttons.tsx";

/** Button that shows more of a list, also when it is scrolled into view. Renders nothing when all entries are shown. */
export function MoreButton({ list: { more, entries } }: { readonly list: PagedList<unknown> }) {
  return more && <NextPage key={entries.length} load={more} />;
}

function NextPage({ load }: { readonly load: () => Promise<void> }) {
  const ref = useRef<HTMLDivElement>(null);
  const [isLoading, setLoading] = useState(false);
  const show = () => {
    setLoading(true);
    void load().finally(() => setLoading(false));
  };
  useEffect(() => {
    const observer = new IntersectionObserver(
      (changes) => changes.some(({ isIntersecting }) => isIntersecting) && show(),
    );
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={ref}>
      <Button isSmall kind="quiet" disabled={isLoading} onClick={show}>
        {isLoading ? t("Loading") : t("Show more")}
      </Button>
    </div>
  );
}
