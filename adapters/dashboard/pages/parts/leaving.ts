import { useEffect, useRef } from 'preact/hooks';

/**
 * Calls `leave` when a click or the focus leaves an element while `isOpen`. Returns what the element takes.
 */
export function useLeaving(isOpen: boolean, leave: () => void) {
  const root = useRef<HTMLDivElement>(null);
  const isWithin = (target: EventTarget | null) => root.current?.contains(target as Node) === true;
  useEffect(() => {
    if (!isOpen) return;
    const leaveByClick = ({ target }: Event) => {
      if (!isWithin(target)) leave();
    };
    addEventListener('pointerdown', leaveByClick);
    return () => removeEventListener('pointerdown', leaveByClick);
  }, [isOpen]);
  return {
    ref: root,
    onFocusOut: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null && !isWithin(relatedTarget)) leave();
    },
  };
}
