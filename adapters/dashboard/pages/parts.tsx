import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, TableHTMLAttributes } from 'preact';

interface Children {
  readonly children?: ComponentChildren;
}

const PATHS = {
  explore: 'M4 5h16M7 12h10M10 19h4',
  live: 'M3 12h4l3-8 4 16 3-8h4',
  tenants: 'M4 20V8l8-4 8 4v12M9 20v-6h6v6',
  keys: 'M14 10a4 4 0 1 0-3.5 4L13 16.5V19h3v-3h2.5L20 14.5 15.5 10z',
  ingestion: 'M12 3v12m0 0 4-4m-4 4-4-4M4 19h16',
  usage: 'M4 20V10m5 10V4m6 16v-8m5 8V7',
  audit: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  done: 'M5 13l4 4L19 7',
  close: 'M6 6l12 12M18 6 6 18',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2m0 16v2M2 12h2m16 0h2',
  plus: 'M12 5v14M5 12h14',
  menu: 'M4 7h16M4 12h16M4 17h16',
} as const;

/** A picture that says what stands beside it, and nothing to who does not see it. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** A message: what went wrong, what worked, what is to be known. */
export function Notice({
  kind = 'info',
  children,
}: Children & { readonly kind?: 'info' | 'error' | 'good' }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** What stands where there is nothing yet: why, and what to do next. */
export function Empty({ title, children }: Children & { readonly title: string }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <div>{children}</div>
    </div>
  );
}

/** A field with its label, and what it takes. */
export function Field({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly children: (ids: {
    readonly id: string;
    readonly 'aria-describedby'?: string;
  }) => ComponentChildren;
}) {
  const id = useId();
  const described = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...described })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Copies a text; where the browser has no clipboard for it, the text is there to be selected. */
export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  useEffect(() => {
    if (state !== 'done') return;
    const timer = setTimeout(() => setState('idle'), 1500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setState('done'),
      () => setState('failed'),
    );
  return (
    <span class="copy">
      <button type="button" class="small" onClick={copy}>
        <Icon name={state === 'done' ? 'done' : 'copy'} />
        {state === 'done' ? 'Copied' : label}
      </button>
      {state === 'failed' && (
        <textarea class="selectable" readOnly rows={4} aria-label={label} value={text} />
      )}
    </span>
  );
}

/** A block of code with a way to copy it. */
export function Code({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label ?? 'Code'}>
        {text}
      </pre>
      <Copy text={text} {...(label === undefined ? {} : { label: `Copy ${label}` })} />
    </div>
  );
}

/** An instant in UTC, and how long ago that was. */
export function Time({
  ms,
  never = 'never',
}: {
  readonly ms: number | string | null;
  readonly never?: string;
}) {
  if (ms === null) return <span class="muted">{never}</span>;
  const date = new Date(ms);
  const iso = date.toISOString();
  return (
    <time dateTime={iso} title={`${iso} (UTC)`}>
      {iso.slice(0, 10)} <span class="muted">{iso.slice(11, 19)}</span>
    </time>
  );
}

interface DialogProps extends Children {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether nothing but a button closes it. */
  readonly stays?: boolean;
}

/** A dialog above the page, with the keyboard kept inside of it. */
export function Dialog({ title, onClose, stays = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opened = dialog.current!;
    opened.showModal();
    return () => opened.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!stays) onClose();
      }}
      onKeyDown={(event) => {
        // A second Escape would close a dialog whatever it says to the first.
        if (event.key === 'Escape' && stays) event.preventDefault();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {!stays && (
          <button type="button" class="ghost" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}

/** The head of a page. */
export function PageHead({
  title,
  lead,
  children,
}: Children & { readonly title: string; readonly lead: string }) {
  return (
    <header class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        <p class="lead">{lead}</p>
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}

/** A table that scrolls by itself where it is wider than the page. */
export function Table({
  label,
  children,
  ...more
}: Children & { readonly label: string } & TableHTMLAttributes) {
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table {...more}>{children}</table>
    </div>
  );
}
