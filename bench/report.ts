import { readFileSync, writeFileSync } from 'node:fs';
import { isReached, round, toTables, type BenchResult, type Target } from './harness.ts';

/** What `results.json` holds. */
export interface Results {
  readonly machine: Readonly<Record<string, number | string>>;
  readonly benches: Readonly<Record<string, BenchResult>>;
}

const README = new URL('README.md', import.meta.url);
const BEGIN = '<!-- results: written by bench/report.ts from results.json -->';
const END = '<!-- end of results -->';

/** Writes the tables of the README and the chart, both from the results and nothing else. */
export function writeReport(results: Results): void {
  const readme = readFileSync(README, 'utf8');
  const [before = '', rest = ''] = readme.split(BEGIN);
  const after = rest.split(END)[1] ?? '\n';
  writeFileSync(README, `${before}${BEGIN}\n\n${toMarkdown(results)}\n${END}${after}`);
  writeFileSync(new URL('results.svg', import.meta.url), toSvg(results));
}

function toMarkdown({ machine, benches }: Results): string {
  const facts = Object.entries(machine).map(([name, value]) => `${name} ${value}`);
  return [`Measured on: ${facts.join(', ')}.`, ...Object.values(benches).map(toSection)].join('\n\n');
}

function toSection(result: BenchResult): string {
  const settings = Object.entries(result.settings).map(([name, value]) => `${name} ${show(value)}`);
  const tables = toTables(result).map(({ peers, rows }) =>
    [
      `| | ${peers.join(' | ')} |`,
      `|---|${peers.map(() => '---:|').join('')}`,
      ...rows.map(({ question, unit, values }) => {
        const cells = values.map((value) => (value === undefined ? '' : round(value)));
        return `| ${question}, ${unit} | ${cells.join(' | ')} |`;
      }),
    ].join('\n'),
  );
  return [`### ${result.bench}`, `${settings.join(', ')}.`, toTargetTable(result.targets), ...tables]
    .filter((part) => part !== '')
    .join('\n\n');
}

function show(value: number | string): string {
  return typeof value === 'number' ? value.toLocaleString('en') : value;
}

function toTargetTable(targets: readonly Target[]): string {
  if (targets.length === 0) return '';
  const rows = targets.map(({ what, ratio, bound, target }) => {
    const verdict = isReached(ratio, bound, target) ? 'reached' : 'missed';
    return `| ${what} | ${round(ratio)} | ${bound} ${target} | ${verdict} |`;
  });
  return ['| ratio | measured | target | |', '|---|---:|---|---|', ...rows].join('\n');
}

const LEFT = 190;
const WIDTH = 760;
const BAR = 11;
const COLORS = [
  '#0b6e4f',
  '#6bbf9c',
  '#c8553d',
  '#e8a598',
  '#3d5a80',
  '#98c1d9',
  '#8d7b68',
  '#c9b79c',
  '#777777',
];

/** The warm counts of the store bench, one group a question, on a logarithmic scale of milliseconds. */
function toSvg({ benches }: Results): string {
  const store = benches.store;
  const table = store === undefined ? undefined : toTables(store).find(({ rows }) => rows.some(isCount));
  const rows = table?.rows.filter(isCount) ?? [];
  const peers = table?.peers ?? [];
  const values = rows.flatMap((row) => row.values.filter((value) => value !== undefined));
  const low = Math.floor(Math.log10(Math.min(...values, 1)));
  const high = Math.ceil(Math.log10(Math.max(...values, 10)));
  const x = (value: number) => LEFT + ((Math.log10(value) - low) / (high - low)) * (WIDTH - LEFT - 20);
  const top = 40 + peers.length * 16;
  const groupHeight = peers.length * BAR + 14;
  const height = top + rows.length * groupHeight + 30;
  const parts: string[] = [];
  peers.forEach((peer, i) => {
    parts.push(rect(LEFT, 28 + i * 16, 12, 10, COLORS[i]!), text(LEFT + 18, 37 + i * 16, peer, 'start'));
  });
  for (let power = low; power <= high; power++) {
    const at = x(10 ** power);
    parts.push(
      `<line x1="${at.toFixed(1)}" x2="${at.toFixed(1)}" y1="${top}" y2="${height - 24}" stroke="#dddddd"/>`,
      text(at, height - 8, `${10 ** power} ms`, 'middle'),
    );
  }
  rows.forEach((row, group) => {
    const y = top + group * groupHeight;
    parts.push(text(LEFT - 8, y + groupHeight / 2, row.question.replace('count, ', ''), 'end'));
    row.values.forEach((value, i) => {
      if (value === undefined) return;
      parts.push(rect(LEFT, y + 4 + i * BAR, Math.max(1, x(value) - LEFT), BAR - 2, COLORS[i]!));
    });
  });
  const title = `Warm counts over ${show(store?.settings.events ?? 0)} events, shorter is faster`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif"`,
    'font-size="12">',
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="18" font-size="14" font-weight="bold">${escapeXml(title)}</text>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function isCount({ question }: { question: string }): boolean {
  return question.startsWith('count, ');
}

function rect(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width.toFixed(1)}" height="${height}" fill="${fill}"/>`;
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escapeXml(content)}</text>`;
}

function escapeXml(content: string): string {
  return content.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}
