import { type Component, type ComponentType, type FunctionComponent, h } from "preact";
import { useMemo, useRef } from "preact/hooks";

/** Compares values of properties: lists by their entries, and all others by identity. */
export const isSame = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) ||
  (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, index) => isSame(each, b[index])));

/** Returns a component that is drawn again only when its properties change, or signals and states that it reads. */
export function memo<Props extends object>(View: FunctionComponent<Props>): ComponentType<Props> {
  return function Memo(this: Component<Props>, props: Props) {
    this.shouldComponentUpdate = (next) =>
      Object.keys({ ...props, ...next }).some((key) => !isSame(props[key as keyof Props], next[key as keyof Props]));
    return h(View, props);
  };
}

/** Returns functions that remain the same while the component is shown, and call those of its latest drawing. */
export function useActions<Actions extends Readonly<Record<string, (...values: never[]) => unknown>>>(
  actions: Actions,
): Actions {
  const latest = useRef(actions);
  latest.current = actions;
  return useMemo(() => {
    const call = (name: string) => [name, (...values: never[]) => latest.current[name]?.(...values)];
    return Object.fromEntries(Object.keys(actions).map(call));
  }, []);
}
