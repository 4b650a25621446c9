import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

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
