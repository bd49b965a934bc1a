import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { showError } from "../lib/toast.ts";

/** Returns a component whose code is loaded when it is shown for the first time. Until then, it shows nothing. */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return (props) => {
    const [View, setView] = useState(() => loaded);
    useEffect(() => {
      if (loaded) return;
      load().then((component) => {
        loaded = component;
        setView(() => component);
      }, showError);
    }, []);
    return View && <View {...props} />;
  };
}
