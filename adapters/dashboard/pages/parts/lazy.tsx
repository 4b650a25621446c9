import { signal, type ReadonlySignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { loadCode } from '../server/code.ts';
import { isQuiet, useAnswer } from '../server/loading.ts';
import { PageSkeleton, Skeleton } from './skeleton.tsx';
import { PageHead, Refusal } from './text.tsx';

/** A component whose code is in a separate file. The page loads that file when it needs the component. */
export interface Lazy<P> {
  /** The component, once its code is there. */
  readonly component: ReadonlySignal<FunctionComponent<P> | undefined>;
  readonly load: () => Promise<unknown>;
}

/** A component whose code loads later. */
export function lazy<P>(importCode: () => Promise<FunctionComponent<P>>): Lazy<P> {
  const component = signal<FunctionComponent<P>>();
  return { component, load: async () => (component.value = await importCode()) };
}

/** A component whose code is there from the start. */
export const eager = <P,>(component: FunctionComponent<P>): Lazy<P> => ({
  component: signal(component),
  load: () => Promise.resolve(),
});

/** Loads the code of a component ahead. If that fails, the page says so once the code is needed. */
export function prefetch({ component, load }: Pick<Lazy<never>, 'component' | 'load'>): Promise<unknown> {
  return component.peek() === undefined ? load().catch(() => undefined) : Promise.resolve();
}

/** How often, in milliseconds, to look whether the page is at rest. */
const REST_MS = 1000;

/**
 * Loads the code of components, one after the other, once the page has all answers to its questions. Returns
 * a function that stops this.
 */
export function prefetchAtRest(all: readonly Pick<Lazy<never>, 'component' | 'load'>[]): () => void {
  let isStopped = false;
  const timer = setInterval(() => {
    if (!isQuiet.peek()) return;
    clearInterval(timer);
    void (async () => {
      for (const each of all) if (!isStopped) await prefetch(each);
    })();
  }, REST_MS);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

interface LoadedProps<P> {
  readonly of: Lazy<P>;
  readonly props: P;
  /** The title of a whole page. */
  readonly title?: string;
}

/** A component as soon as its code is there. */
export function Loaded<P extends object>({ of, props, title }: LoadedProps<P>) {
  const Component = of.component.value;
  if (Component !== undefined) return <Component {...props} />;
  return <Loading key={title} load={of.load} title={title} />;
}

/** What stands for a component while its code loads. */
function Loading({ load, title }: Pick<Lazy<never>, 'load'> & { readonly title: string | undefined }) {
  const { error, again } = useAnswer(() => loadCode(load), [load]);
  if (error === undefined)
    return title === undefined ? <Skeleton of="rows" /> : <PageSkeleton title={title} />;
  return (
    <>
      {title !== undefined && <PageHead title={title} lead={'\u00a0'} />}
      <Refusal error={error} again={again} />
    </>
  );
}
