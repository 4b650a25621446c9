import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { messageOf } from '../server/api.ts';
import { Icon } from './icon.tsx';
import { Notice } from './text.tsx';

interface Children {
  readonly children?: ComponentChildren;
}
interface DialogProps extends Children {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether nothing but a button closes it. */
  readonly stays?: boolean;
  /** Whether what opened it goes with what was done: the focus goes to the head of the page then. */
  readonly openerGoes?: { readonly current: boolean };
}

/** A dialog above the page, with the keyboard kept inside of it. */
export function Dialog({ title, onClose, stays = false, openerGoes, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A dialog that follows another one opens when that has given the focus back.
  useEffect(() => {
    const opened = dialog.current!;
    const opener = document.activeElement;
    opened.showModal();
    return () => {
      opened.close();
      // A browser gives the focus back to nobody once the dialog is no part of the page.
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
        // A second Escape would close a dialog whatever it says to the first.
        if (event.key === 'Escape' && stays) event.preventDefault();
      }}
    >
      {/* Within a section its head is that of the dialog, not of the page. */}
      <section>
        <header>
          <h2 id={id}>{title}</h2>
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
  /** What its button says that does it. */
  readonly act: string;
  /** Whether what it does cannot be undone. */
  readonly isDangerous?: boolean;
  /** Whether there is no field to begin at, so that the keyboard begins at the way out. */
  readonly isQuestion?: boolean;
  /** Whether what the fields hold cannot be sent yet. */
  readonly isUnready?: boolean;
  readonly send: () => Promise<T>;
  readonly onDone: (done: T) => void;
}

/** A dialog that sends what it holds; what was refused is said in it. */
export function FormDialog<T>({
  act,
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
            {act}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
