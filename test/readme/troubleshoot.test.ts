import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { explain } from '../../adapters/sqlite/file/trouble.ts';
import { sourcesBelow, type Source } from '../tidy/sources.ts';
import { readPage } from './sections.ts';

const page = readPage('adapters/cli/troubleshoot.md');

/** Who writes lines at the levels that need somebody: the log, and the reports of what happens often. */
const WRITES = /(^|\.)(log|logger)\.(error|warn)$|^reports\.note$/;
/** What is passed on: sentences about a file, those of `reports.note` and of Node, what a worker wrote. */
const PASSED_ON = ['trouble', 'message', 'line'];

describe('the page on troubles has each message that the log can hold', () => {
  const messages = sourcesBelow('src', 'adapters').flatMap(messagesOf);

  it('found the places', () => {
    expect(messages.length).toBeGreaterThan(15);
    expect(messages.filter(({ text }) => text === undefined).map(({ code }) => code)).toSatisfy(
      (codes: string[]) => codes.every((code) => PASSED_ON.includes(code)),
    );
  });

  it.each([...new Set(messages.flatMap(({ text }) => text ?? []))])('%s', (text) => {
    expect(page).toContain(text);
  });
});

describe('the page on troubles has each sentence about the file', () => {
  const CODES = ['BUSY', 'READONLY', 'IOERR', 'CORRUPT', 'FULL', 'CANTOPEN'].map((name) => `SQLITE_${name}`);

  it.each(CODES)('%s', (code) => {
    const { message } = explain(Object.assign(new Error('ENGINE'), { code }), 'FILE') as Error;
    const [said = ''] = message.split(' (ENGINE)');
    expect(page).toContain(`\`${said.replace(/^FILE /, '').replace('FILE', '…')}\``);
  });
});

/** The messages of a file, up to the first value in them; undefined where it cannot be read from the code. */
function messagesOf({ tree }: Source): { readonly code: string; readonly text: string | undefined }[] {
  const found: { code: string; text: string | undefined }[] = [];
  const constants = new Map<string, ts.Expression>();
  const textOf = (node: ts.Expression | undefined): string | undefined => {
    if (node === undefined) return undefined;
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isTemplateExpression(node)) return node.head.text.split(':')[0];
    if (ts.isBinaryExpression(node)) return textOf(node.left);
    return ts.isIdentifier(node) ? textOf(constants.get(node.text)) : undefined;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer);
    if (ts.isCallExpression(node) && WRITES.test(node.expression.getText(tree))) {
      const isNote = node.expression.getText(tree) === 'reports.note';
      const said = isNote ? node.arguments[0] : node.arguments.at(-1);
      found.push({ code: said?.getText(tree) ?? '', text: textOf(said) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
