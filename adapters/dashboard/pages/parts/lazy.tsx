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
  /** What tells its file from others; undefined where the code is there from the start. */
  readonly file: string | undefined;
}

/** What loads ahead, once a page is at rest, in the order in which it was named. */
const ahead: Pick<Lazy<never>, 'component' | 'load'>[] = [];

/** A component whose code loads later: ahead, unless few need it. */
export function lazy<P>(importCode: () => Promise<FunctionComponent<P>>, need?: 'rare'): Lazy<P> {
  const component = signal<FunctionComponent<P>>();
  const load = async () => (component.value = await importCode());
  if (need === undefined) ahead.push({ component, load });
  return { component, load, file: String(importCode) };
}

/** A component whose code is there from the start. */
export const eager = <P,>(component: FunctionComponent<P>): Lazy<P> => ({
  component: signal(component),
  load: () => Promise.resolve(),
  file: undefined,
});

/** Loads the code of a component ahead. If that fails, the page says so once the code is needed. */
export function prefetch({ component, load }: Pick<Lazy<never>, 'component' | 'load'>): Promise<unknown> {
  return component.peek() === undefined ? load().catch(() => undefined) : Promise.resolve();
}

/** How often, in milliseconds, to look whether the page is at rest. */
const REST_MS = 1000;

/**
 * Loads the code that pages may need next, one file after the other, once the page has all answers to its
 * questions. Returns a function that stops this.
 */
export function prefetchAtRest(): () => void {
  let isStopped = false;
  const timer = setInterval(() => {
    if (!isQuiet.peek()) return;
    clearInterval(timer);
    void (async () => {
      for (const each of ahead) if (!isStopped) await prefetch(each);
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
  /** Whether nothing keeps the place of it until it is there, as of a dialog. */
  readonly isDialog?: boolean;
}

/** A component as soon as its code is there. */
export function Loaded<P extends object>({ of, props, title, isDialog = false }: LoadedProps<P>) {
  const Component = of.component.value;
  if (Component !== undefined) return <Component {...props} />;
  return <Loading key={title} of={of} title={title} isDialog={isDialog} />;
}

/** What stands for a component while its code loads. */
function Loading({
  of: { load, file = '' },
  title,
  isDialog,
}: {
  readonly of: Pick<Lazy<never>, 'load' | 'file'>;
  readonly title: string | undefined;
  readonly isDialog: boolean;
}) {
  const { error, again } = useAnswer(() => loadCode(load, file), [load]);
  if (error === undefined && isDialog) return null;
  if (error === undefined)
    return title === undefined ? <Skeleton of="rows" /> : <PageSkeleton title={title} />;
  return (
    <>
      {title !== undefined && <PageHead title={title} lead={'\u00a0'} />}
      <Refusal error={error} again={again} />
    </>
  );
}
