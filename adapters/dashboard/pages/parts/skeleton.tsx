import { PageHead } from './text.tsx';

interface SkeletonProps {
  /** The content whose place it keeps. */
  readonly of: 'rows' | 'chart' | 'cards';
}

/** How many shapes stand for the content. */
const SHAPES = { rows: 8, chart: 1, cards: 3 } as const;

/** The shape of content that loads for the first time. It appears only if that takes a moment. */
export function Skeleton({ of }: SkeletonProps) {
  return (
    <div class={`skeleton ${of}-shape`} aria-busy="true">
      <span class="hidden">Loading…</span>
      {Array.from({ length: SHAPES[of] }, (_, i) => (
        <span key={i} class="shape" aria-hidden="true" />
      ))}
    </div>
  );
}

/** A page whose content is not known yet. */
export function PageSkeleton({ title, lead = '\u00a0' }: { readonly title: string; readonly lead?: string }) {
  return (
    <>
      <PageHead title={title} lead={lead} />
      <Skeleton of="rows" />
    </>
  );
}
