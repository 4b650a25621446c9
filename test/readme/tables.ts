import { COMPARISONS, ERRORS, OPERANDS } from '../../src/index.ts';

/** A Markdown table of rows of cells. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escape = (cell: string) => cell.replace(/\|/g, '\\|');
  const toRow = (cells: readonly string[]) => `| ${cells.map(escape).join(' | ')} |`;
  return [toRow(head), toRow(head.map(() => '---')), ...rows.map(toRow)].join('\n');
}

/** The table of errors, as the README prints it. */
export function errorTable(): string {
  const rows = Object.values(ERRORS).map(({ status, text }) => [String(status), `\`${text}\``]);
  return toTable(['status', '`error`'], rows);
}

/** The table of operators, as the README prints it. */
export function operatorTable(): string {
  const rows = Object.entries(COMPARISONS).map(([name, { operand, meaning }]) => [
    `\`${name}\``,
    OPERANDS[operand],
    meaning,
  ]);
  return toTable(['`comparison`', '`value`', 'matches when the value at the path'], rows);
}

/** What the README says between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. */
export function sectionOf(readme: string, name: string): string {
  const match = new RegExp(`<!-- ${name}:begin -->\\n([\\s\\S]*?)\\n?<!-- ${name}:end -->`).exec(readme);
  if (match === null) throw new Error(`README.md has no section ${name}`);
  return match[1] ?? '';
}

/** The README with another text between the marks of a section. */
export function withSection(readme: string, name: string, text: string): string {
  const old = `<!-- ${name}:begin -->\n${sectionOf(readme, name)}`;
  const at = readme.indexOf(old);
  const end = readme.indexOf(`<!-- ${name}:end -->`, at);
  return `${readme.slice(0, at)}<!-- ${name}:begin -->\n${text}\n${readme.slice(end)}`;
}
