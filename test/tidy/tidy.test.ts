import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { COMPARISONS } from '../../src/core/filter/filter.ts';
import manifest from '../../package.json' with { type: 'json' };
import { ENTRY_KB_MAX } from '../package/sizes.ts';
import { PUBLISHED, type Door } from './doors.ts';
import {
  findings,
  importsOf,
  isExported,
  linesOf,
  nodesOf,
  projectFiles,
  ROOT,
  sourcesBelow,
  targetOf,
  type Source,
} from './sources.ts';

const core = sourcesBelow('src/core');
const library = sourcesBelow('src', 'adapters');
const everything = sourcesBelow('src', 'adapters', 'test', 'bench');
const files = projectFiles();

/**
 * The doors of the core that an adapter may open beside the front door, which is for all. Most adapters are
 * stores, or answer by contracts that stand beside those of stores.
 */
const DOORS_OF: Readonly<Record<string, readonly Door[]>> = {
  cli: [...PUBLISHED, 'internal'],
  fetch: ['transport-kit'],
  'node-http': ['transport-kit'],
  // It reads events as the command line writes them.
  import: [...PUBLISHED, 'internal'],
  // Its protocols answer requests.
  sdks: ['transport-kit'],
  // It makes metrics of the table beside what the resources of a process are made of.
  prometheus: ['transport-kit'],
  // It records what transports and handlers say of requests.
  opentelemetry: ['transport-kit'],
  // It serves pages before a transport, and its pages name the parts of filters and of tenants.
  dashboard: ['transport-kit', 'store-kit', 'admin-api'],
};

/** What an adapter takes of others, beside what several engines of SQL have in common. */
const SHARED_ADAPTERS: Readonly<Record<string, readonly string[]>> = {
  // A call of an SDK becomes the same event, sent or in a dump.
  import: ['adapters/sdks/index.ts'],
};

/** These describe what is sent and answered; validators and documents are made of them when it is built. */
const DESCRIPTIONS = /^src\/core\/.*-schema\.ts$/;

/** Lines that match a pattern, with what to write instead. */
function linesMatching(sources: readonly Source[], pattern: RegExp, instead: string): string[] {
  return findings(sources, ({ text }) =>
    text.split('\n').flatMap((line, i) => (pattern.test(line) ? [`${i + 1}: ${instead}`] : [])),
  );
}

describe('imports go one way', () => {
  it('the core imports itself and its packages only', () => {
    const packages = ['fast-json-stable-stringify', 'fastest-levenshtein'];
    const found = findings(core, (source) =>
      importsOf(source)
        .filter((specifier) => !packages.includes(specifier))
        .filter((specifier) => !(specifier === 'zod' && DESCRIPTIONS.test(source.path)))
        .filter((specifier) => !targetOf(source, specifier).startsWith('src/core/'))
        .map((specifier) => `1: imports ${specifier}; the core is pure, so let it come in through a port`),
    );
    expect(found).toEqual([]);
  });

  it('an adapter imports the doors of the core that are for it, its own files and its platform', () => {
    const found = findings(sourcesBelow('adapters'), (source) => {
      const [, adapter = ''] = source.path.split('/');
      const doors = [...(DOORS_OF[adapter] ?? ['store-kit']), 'index'].map((door) => `src/${door}.ts`);
      // Two put a server together, so they alone open the doors of other adapters; the command line also says
      // the version of the package.
      const mayCompose = adapter === 'cli' || adapter === 'serve';
      const open = /^(adapters\/[a-z-]+\/index\.ts|package\.json)$/;
      return (
        importsOf(source)
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => targetOf(source, specifier))
          // What several engines of SQL have in common stands once.
          .filter((target) => target !== 'adapters/sql/index.ts')
          .filter((target) => !doors.includes(target) && !target.startsWith(`adapters/${adapter}/`))
          .filter((target) => !(mayCompose && open.test(target)))
          .filter((target) => SHARED_ADAPTERS[adapter]?.includes(target) !== true)
          .map((target) => `1: imports ${target}; import ${doors.join(' or ')}`)
      );
    });
    expect(found).toEqual([]);
  });

  /** What the pages of the dashboard carry into a browser: CSV is written in one way. */
  const CARRIED = 'import { toCsvLine';
  /**
   * What bounds answers and questions, what fits an operand, how pages follow each other, what walks over
   * JSON, and what a failure of TLS means stand once, for clients and pages too.
   */
  const SHARED =
    '(changeJsonText|describeTlsFault|excerpt|OPERAND_KINDS|pagesOf|usersOf|readAtMost' +
    '|[A-Z_]+_MAX|type \\w+)';
  const BOUNDING = new RegExp(`^import \\{\\s*(${SHARED},?\\s*)+\\} from `);
  /** Of a door, they carry nothing else. */
  const isOfPages = ({ path }: Source) => path.startsWith('adapters/dashboard/pages/');
  const typesOnly = (source: Source, specifier: string) =>
    /\/src\/(store-kit|admin-api)\.ts/.test(specifier) ||
    (isOfPages(source) && specifier.includes('/src/transport-kit.ts'));

  it.each(['client', 'dashboard'])('the adapter %s takes types only of the door for stores', (adapter) => {
    const found = findings(sourcesBelow(`adapters/${adapter}`), (source) =>
      source.tree.statements
        .filter(ts.isImportDeclaration)
        .filter(({ moduleSpecifier }) => typesOnly(source, moduleSpecifier.getText()))
        .filter(({ importClause }) => importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword)
        .filter((statement) => !(isOfPages(source) && statement.getText().startsWith(CARRIED)))
        .filter((statement) => !BOUNDING.test(statement.getText()))
        .map((statement) => `${linesOf(source, statement).first}: write import type`),
    );
    expect(found).toEqual([]);
  });

  it('what describes bodies and answers is read by nothing that runs', () => {
    const found = findings(
      library.filter(({ path }) => !DESCRIPTIONS.test(path)),
      (source) =>
        source.tree.statements
          // The types of what they describe are gone when a file runs.
          .flatMap((each) => {
            if (ts.isExportDeclaration(each)) return each.isTypeOnly ? [] : [each.moduleSpecifier];
            if (!ts.isImportDeclaration(each)) return [];
            const isType = each.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
            return isType ? [] : [each.moduleSpecifier];
          })
          .flatMap((specifier) => (specifier && ts.isStringLiteral(specifier) ? [specifier.text] : []))
          .filter((specifier) => DESCRIPTIONS.test(targetOf(source, specifier))),
    );
    expect(found).toEqual([]);
  });

  it('no library file imports a database driver', () => {
    const drivers = ['node:sqlite', ...Object.keys(manifest.peerDependencies)];
    const found = findings(
      library.filter(({ path }) => !path.startsWith('adapters/cli/')),
      (source) => {
        const types = source.tree.statements
          .filter(ts.isImportDeclaration)
          .filter(({ importClause }) => importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
          .map(({ moduleSpecifier }) => moduleSpecifier.getText().slice(1, -1));
        return importsOf(source).filter((name) => drivers.includes(name) && !types.includes(name));
      },
    );
    expect(found).toEqual([]);
  });

  it('every adapter is an entry point of the package, and every entry point is built', () => {
    const adapters = readdirSync(`${ROOT}adapters`).filter((name) => name !== 'cli' && !name.endsWith('.md'));
    const entries = [
      ...PUBLISHED.map((door) => (door === 'index' ? '.' : `./${door}`)),
      './conformance',
      './package.json',
      './sqlite-writer',
      ...adapters.map((name) => `./${name}`),
    ];
    expect(Object.keys(manifest.exports).sort()).toEqual(entries.sort());
  });
});

describe('entry points', () => {
  it('each has a size that its import may cost', () => {
    const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
    const names = entries.map((entry) => `event-query${entry.slice(1)}`);
    expect(Object.keys(ENTRY_KB_MAX)).toEqual(expect.arrayContaining(names));
  });

  it('each has its line in the table of adapters/README.md', () => {
    const page = readFileSync(`${ROOT}adapters/README.md`, 'utf8');
    const names = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
    expect(names.filter((entry) => !page.includes(`${entry.slice(1)}\``))).toEqual([]);
  });
});

describe('imports make no circle', () => {
  it('no file imports itself by way of others, types included', () => {
    const targets = new Map(
      everything.map((source) => [
        source.path,
        importsOf(source)
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => targetOf(source, specifier)),
      ]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path))
        return void circles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      if (done.has(path)) return;
      for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const path of targets.keys()) visit(path, []);
    expect(circles).toEqual([]);
  });
});

describe('folders make no circle', () => {
  const parts = [
    'src/core',
    ...readdirSync(`${ROOT}adapters`)
      .filter((name) => !name.endsWith('.md'))
      .map((name) => `adapters/${name}`),
  ];

  it.each([
    ['src/core', ['api.ts']],
    [
      'src/core/columns',
      ['choose-later.ts', 'choose.ts', 'column-index.ts', 'erasing.ts', 'tenant-index.ts'],
    ],
  ])('of %s each imports only those above it in the table of src/README.md', (part, files) => {
    const page = readFileSync(`${ROOT}src/README.md`, 'utf8');
    const head = `| folder of \`${part.replace(/^src\/(core\/)?/, '')}\` |`;
    const table = page.slice(page.indexOf(head)).split('\n\n')[0] ?? '';
    const order = [...table.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name]) => name ?? '');
    const nameOf = (path: string) =>
      path.startsWith(`${part}/`) ? path.slice(part.length + 1).split('/')[0]! : '';
    const inside = core.filter(({ path }) => path.startsWith(`${part}/`));
    const found = findings(inside, (source) => {
      const folder = nameOf(source.path);
      if (folder.endsWith('.ts')) return [];
      return importsOf(source)
        .map((specifier) => targetOf(source, specifier))
        .filter(
          (target) => order.indexOf(nameOf(target)) > order.indexOf(folder) || files.includes(nameOf(target)),
        )
        .map((target) => `1: imports ${target}, which stands above it`);
    });
    expect(found).toEqual([]);
    expect(new Set(inside.map(({ path }) => nameOf(path)))).toEqual(new Set([...order, ...files]));
  });

  it.each(parts)('those of %s import each other one way', (part) => {
    const below = new Map<string, Set<string>>();
    for (const source of sourcesBelow(part)) {
      const folder = posix.dirname(source.path);
      const targets = below.get(folder) ?? new Set();
      below.set(folder, targets);
      for (const specifier of importsOf(source).filter((each) => each.startsWith('.'))) {
        const target = posix.dirname(targetOf(source, specifier));
        if (target !== folder && `${target}/`.startsWith(`${part}/`)) targets.add(target);
      }
    }
    // Whoever imports nothing that is left goes; those who stay stand in a circle, or above one.
    for (let size = NaN; size !== below.size;) {
      size = below.size;
      for (const [folder, targets] of below) {
        if (![...targets].some((target) => below.has(target))) below.delete(folder);
      }
    }
    expect([...below].map(([folder, targets]) => `${folder} -> ${[...targets].join(', ')}`)).toEqual([]);
  });
});

describe('the core takes time and chance from its Runtime', () => {
  it.each([
    [/\bDate\.now\(/, 'take the time from Runtime.now()'],
    [/\bnew Date\(\)/, 'take the time from Runtime.now()'],
    [/\bMath\.random\(/, 'take chance from Runtime.randomBytes()'],
    [/\bperformance\./, 'take the time from Runtime.now()'],
  ])('%s', (pattern, instead) => {
    expect(linesMatching(core, pattern, instead)).toEqual([]);
  });
});

describe('the core keeps no state of a module', () => {
  it('no name at the top of a file is bound or written to again', () => {
    expect(findings(core, (source) => writtenAtTop(source))).toEqual([]);
  });

  it('nothing made at the top of a file keeps what it learns', () => {
    const kept = [
      // Tables: whatever they hold is there when they are made.
      'src/core/http/route.ts createFinder',
      'src/core/query/validate.ts createValidator',
    ];
    const found = core.flatMap((source) =>
      topVariables(source)
        .map(({ initializer }) => initializer)
        .filter((made) => made !== undefined && ts.isCallExpression(made))
        .map((made) => `${source.path} ${made.expression.getText()}`)
        .filter((made) => / create[A-Z]/.test(made)),
    );
    expect([...new Set(found)].sort()).toEqual(kept);
  });
});

/** The variables that stand at the top of a file. */
function topVariables({ tree }: Source): ts.VariableDeclaration[] {
  return tree.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
}

/** What lists, maps and sets are changed by. */
const CHANGES = [
  ...['set', 'add', 'delete', 'clear', 'push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse'],
  ...['fill', 'copyWithin'],
];

/** Where a file writes to what stands at its top, or may bind it again. */
function writtenAtTop(source: Source): string[] {
  const variables = topVariables(source);
  const names = variables.map(({ name }) => name.getText());
  const bound = variables.filter(({ parent }) => (parent.flags & ts.NodeFlags.Const) === 0);
  const isOfTop = (node: ts.Node): boolean =>
    ts.isIdentifier(node)
      ? names.includes(node.text)
      : (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) &&
        isOfTop(node.expression);
  const isMember = (node: ts.Node) => !ts.isIdentifier(node) && isOfTop(node);
  const written = nodesOf(source).filter((node) => {
    if (ts.isBinaryExpression(node)) return isAssignment(node.operatorToken.kind) && isMember(node.left);
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node))
      return /\+\+|--/.test(node.getText()) && isMember(node.operand);
    if (ts.isDeleteExpression(node)) return isMember(node.expression);
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
    const { name, expression } = node.expression;
    return CHANGES.includes(name.text) && isOfTop(expression);
  });
  return [...bound, ...written].map((node) => `${linesOf(source, node).first}: keep it in what is made`);
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

describe('operators', () => {
  it('are named by their table alone', () => {
    const names = new Set<string>(Object.keys(COMPARISONS));
    const theirs = [
      'src/core/filter/operators.ts',
      // The pages send filters as every client does.
      'adapters/dashboard/pages/explore/filter/comparisons.ts',
      // Examples of what a user writes.
      'adapters/cli/commands/demo.ts',
      'adapters/dashboard/pages/explore/first-minute.tsx',
    ];
    const found = findings(
      library.filter(({ path }) => !theirs.includes(path)),
      (source) =>
        nodesOf(source)
          .filter((node) => ts.isStringLiteralLike(node) && names.has(node.text))
          .map((node) => `${linesOf(source, node).first}: ask its row for what you need to know`),
    );
    expect(found).toEqual([]);
  });
});

describe('sizes', () => {
  it('a line has at most 110 columns', () => {
    expect(linesMatching(everything, /^.{111,}$/u, 'break the line')).toEqual([]);
  });

  it('a function has at most 70 lines, those of the functions within it not counted', () => {
    const found = findings(library, (source) =>
      nodesOf(source)
        .filter(isFunction)
        .filter((node) => ownLines(source, node) > 70)
        .map((node) => `${linesOf(source, node).first}: split the function`),
    );
    expect(found).toEqual([]);
  });
});

function isFunction(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

/** How many lines a function has itself: the functions within it are judged by themselves. */
function ownLines(source: Source, node: ts.Node): number {
  const inner: ts.Node[] = [];
  const visit = (child: ts.Node): void => {
    if (isFunction(child)) inner.push(child);
    else ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  const lines = (of: ts.Node) => linesOf(source, of).last - linesOf(source, of).first + 1;
  return inner.reduce((own, child) => own - lines(child) + 1, lines(node));
}

describe('comments', () => {
  it('of what is shipped cite no page that the package lacks', () => {
    const cited = /(\/\/|\*) .*\b(SPEC|DESIGN|[Tt]he spec|[Ii]ssue \d)\b/;
    expect(linesMatching(library, cited, 'say it in its own words')).toEqual([]);
  });
});

describe('names', () => {
  it('files are named in kebab-case and say what they hold', () => {
    const sources = everything.map(({ path }) => path);
    const odd = sources.filter(
      (path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.tsx?$/.test(posix.basename(path)),
    );
    const vague = sources.filter((path) => /\b(utils?|helpers?|misc|common)\b/.test(posix.basename(path)));
    expect([...odd, ...vague]).toEqual([]);
  });

  it('no default export, and no class but errors', () => {
    const found = findings(library, (source) =>
      nodesOf(source).flatMap((node) => {
        const { first } = linesOf(source, node);
        if (ts.isExportAssignment(node)) return [`${first}: export it by name`];
        const isError =
          ts.isClassLike(node) && node.heritageClauses?.[0]?.types[0]?.getText().endsWith('Error');
        return ts.isClassLike(node) && isError !== true
          ? [`${first}: write a function that returns an object`]
          : [];
      }),
    );
    expect(found).toEqual([]);
  });

  it('exported functions, types and tables carry a docstring', () => {
    const found = findings(library, (source) =>
      source.tree.statements
        .filter((statement) => isExported(statement) && !ts.isExportDeclaration(statement))
        .filter(
          (statement) => !isDerivedType(statement) && ts.getJSDocCommentsAndTags(statement).length === 0,
        )
        .map((statement) => `${linesOf(source, statement).first}: say what it means`),
    );
    expect(found).toEqual([]);
  });

  it('an exported type means one thing: no other file declares one of its name', () => {
    const declared = library.flatMap(typesOf);
    const found = declared
      .filter(({ exported }) => exported)
      .flatMap(({ name, at }) =>
        declared
          .filter((other) => other.name === name && other.at !== at)
          .map((other) => `${other.at}: ${name} is what ${at} exports: name it by what it is here`),
      );
    expect(found).toEqual([]);
  });

  it('the top level holds only what belongs there', () => {
    const allowed = [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'src',
      'adapters',
      'test',
      'bench',
    ];
    const papers = ['README.md', 'LICENSE', 'CHANGELOG.md'];
    const top = new Set(files.map((path) => path.split('/')[0] ?? ''));
    const odd = [...top].filter((name) => !name.startsWith('.') && ![...allowed, ...papers].includes(name));
    expect(odd).toEqual([]);
  });
});

/** The types that a file declares, with where they stand. */
function typesOf(source: Source) {
  return source.tree.statements
    .filter(
      (statement) =>
        ts.isInterfaceDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement) ||
        ts.isClassDeclaration(statement),
    )
    .map((statement) => ({
      name: statement.name?.text,
      exported: isExported(statement),
      at: `${source.path}:${linesOf(source, statement).first}`,
    }));
}

/**
 * A type that is read off a table beside it, or the options of the one function below it, is said by its
 * name.
 */
function isDerivedType(statement: ts.Statement): boolean {
  if (ts.isTypeAliasDeclaration(statement))
    return /\b(typeof|z\.(in|out)put)\b/.test(statement.type.getText());
  return ts.isInterfaceDeclaration(statement) && statement.name.text.endsWith('Options');
}

describe('what the repository keeps', () => {
  const texts = files
    .filter((path) =>
      /\.(tsx?|js|css|html|json|md|svg|yml|yaml|service)$|^\.ci\/|^\.npmrc$|Dockerfile$/.test(path),
    )
    .map((path) => ({ path, text: readFileSync(ROOT + path, 'utf8') }));

  it('names no machine and no registry', () => {
    const pattern = new RegExp(
      ['(?<![\\w.~])/(work|root|home|farm)/[A-Za-z]', 'registry\\.npm' + 'js', 'deb\\.deb' + 'ian'].join('|'),
    );
    expect(texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('skips no test in silence', () => {
    const pattern = /\b(it|test|describe)\.(skip|only|todo)\b/;
    const found = texts.filter(({ path, text }) => path.endsWith('.test.ts') && pattern.test(text));
    expect(found.map(({ path }) => path).filter((path) => !path.startsWith('test/tidy/'))).toEqual([]);
  });
});
