import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Pages for contributors. Users of the package do not need them. */
const FOR_CONTRIBUTORS = /^(\.github|test\/(proof|soak)|bench)\/|^(CHANGELOG|src\/README|test\/README)\.md$/;

/** A page of the documentation. */
interface Page {
  readonly path: string;
  readonly title: string;
  /** Whom it serves, its first sentence. */
  readonly audience: string;
  readonly text: string;
}

function readPages(): Page[] {
  const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  const paths = listed.filter((path) => !FOR_CONTRIBUTORS.test(path));
  // The README comes first, as it says what everything is.
  return paths.sort((a, b) => Number(b === 'README.md') - Number(a === 'README.md')).map(readOne);
}

function readOne(path: string): Page {
  const text = readFileSync(ROOT + path, 'utf8');
  const [heading = '', audience = ''] = text.split('\n\n');
  return { path, title: heading.replace(/^# /, ''), audience: audience.replaceAll('\n', ' '), text };
}

/**
 * Writes `dist/llms.txt`, which lists the pages for users as https://llmstxt.org proposes, and
 * `dist/llms-full.txt`, which holds them: the package has no other copy of them but the README.
 */
const pages = readPages();
const list = pages.map(
  ({ path, title, audience }) => `- [${title}](llms-full.txt): \`${path}\`. ${audience}`,
);
const intro = `> ${pages[0]!.audience}

event-query stores product events and returns exactly those that match a filter. It is a library for
JavaScript programs, and a server that one command starts. llms-full.txt holds every page below, each after
a line with its path.`;
writeFileSync(`${ROOT}dist/llms.txt`, `# event-query\n\n${intro}\n\n## Pages\n\n${list.join('\n')}\n`);
const whole = pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}\n`);
writeFileSync(`${ROOT}dist/llms-full.txt`, whole.join('\n'));
