import { Copy } from '../parts/copy.tsx';
import { shareLink } from '../views/question.ts';

/** Buttons that copy the link to this question, which opens its first page. */
export function CopyLink() {
  return (
    <>
      <Copy text={shareLink()} label="Copy link" isLarge />
      <Copy text={shareLink(true)} label="Copy link with these exact times" isLarge />
    </>
  );
}
