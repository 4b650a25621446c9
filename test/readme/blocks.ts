import { projectFiles } from '../tidy/sources.ts';
import { readPage } from './sections.ts';

/** A block of code on a page of the documentation. */
export interface Block {
  /** The page and the line of its first fence: `README.md:12`. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

const FENCED = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** Every block of code of every page. */
export function readBlocks(): Block[] {
  const pages = projectFiles().filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md');
  return pages.flatMap((page) => {
    const text = readPage(page);
    return [...text.matchAll(FENCED)].map(({ 1: language = '', 2: block = '', index }) => ({
      place: `${page}:${text.slice(0, index).split('\n').length}`,
      language,
      text: block,
    }));
  });
}
