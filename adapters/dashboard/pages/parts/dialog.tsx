import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { seen } from '../address/written.ts';
import { messageOf } from '../server/api.ts';
import { Icon } from './icon.tsx';
import { Notice } from './text.tsx';

interface Children {
  readonly children?: ComponentChildren;
}
interface DialogProps extends Children {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether only a button closes the dialog. */
  readonly stays?: boolean;
  /**
   * Whether the action removes the element that opened the dialog; the page's heading then gets the focus.
   */
  readonly openerGoes?: { readonly current: boolean };
}

/** A modal dialog. It keeps the keyboard focus inside. */
export function Dialog({ title, onClose, stays = false, openerGoes, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A dialog that follows another one opens after that one has returned the focus.
  useEffect(() => {
    const opened = dialog.current!;
    const opener = document.activeElement;
    opened.showModal();
    return () => {
      opened.close();
      // A browser does not return the focus once the dialog has left the document.
      const isThere = openerGoes?.current !== true && opener instanceof HTMLElement && opener.isConnected;
      (isThere ? opener : document.querySelector<HTMLElement>('main h1'))?.focus();
    };
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
        // The browser lets a dialog cancel the first Escape, but would close it at the second.
        if (event.key === 'Escape' && stays) event.preventDefault();
      }}
    >
      {/* The section makes its header that of the dialog, not of the page. */}
      <section>
        <header>
          <h2 id={id}>{seen(title)}</h2>
          {!stays && (
            <button type="button" class="ghost" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </section>
    </dialog>
  );
}

interface FormDialogProps<T> extends DialogProps {
  /** The label of the submit button. */
  readonly act: string;
  /** The label of the submit button while the server is at work. */
  readonly acting?: string;
  /** Whether the action cannot be undone. */
  readonly isDangerous?: boolean;
  /** Whether the dialog has no field, so that the focus starts at the cancel button. */
  readonly isQuestion?: boolean;
  /** Whether the fields are not ready to be sent. */
  readonly isUnready?: boolean;
  readonly send: () => Promise<T>;
  readonly onDone: (done: T) => void;
}

/** A dialog with a form. It shows the error if the server refuses the request. */
export function FormDialog<T>({
  act,
  acting = act,
  isDangerous = false,
  isQuestion = false,
  isUnready = false,
  send,
  onDone,
  children,
  ...dialog
}: FormDialogProps<T>) {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const openerGoes = useRef(false);
  const submit = () => {
    setBusy(true);
    send().then(
      (done) => {
        openerGoes.current = isDangerous;
        onDone(done);
      },
      (refused: unknown) => {
        setError(messageOf(refused));
        setBusy(false);
      },
    );
  };
  return (
    <Dialog {...dialog} openerGoes={openerGoes}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {children}
        {error !== undefined && <Notice kind="error">{error}</Notice>}
        <footer>
          <button type="button" autoFocus={isQuestion} onClick={dialog.onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={busy || isUnready}>
            {busy ? acting : act}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
