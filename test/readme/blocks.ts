import { projectFiles, sourcesBelow } from '../tidy/sources.ts';
import { readPage } from './sections.ts';

/** A block of code on a page of the documentation, or in the docstring of what it shows. */
export interface Block {
  /** The file and the line of its first fence: `README.md:12`. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

const FENCED = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** A fence within a docstring, after `@example`. */
const EXAMPLE = /^ *\* @example\n *\* ```(\w*)\n((?: *\*.*\n)*?) *\* ```$/gm;

/** Every block of code that shows how to use the package: those of pages, and those of docstrings. */
export function readBlocks(): Block[] {
  return [...readPageBlocks(), ...readExamples()];
}

/** Every block of code of every page. */
export function readPageBlocks(): Block[] {
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

/** Every `@example` of a docstring in the sources. */
function readExamples(): Block[] {
  return sourcesBelow('src', 'adapters', 'test/conformance').flatMap(({ path, text }) =>
    [...text.matchAll(EXAMPLE)].map(({ 1: language = '', 2: block = '', index }) => ({
      place: `${path}:${text.slice(0, index).split('\n').length + 1}`,
      language,
      text: block.replace(/^ *\* ?/gm, ''),
    })),
  );
}
