import type { CompletionNode, CompletionWord } from './tree.ts';

/** The shells whose completion can be printed. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * Makes the script that completes commands, flags and their choices in a shell. It holds all words, so that a
 * completion starts no process.
 */
export function completionScript(shell: Shell, nodes: readonly CompletionNode[]): string {
  return { bash: toBash, zsh: toZsh, fish: toFish }[shell](nodes);
}

const wordsOf = (words: readonly CompletionWord[]) => words.map(({ word }) => word).join(' ');

/** A quoted word of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const isPath = ({ path }: CompletionNode) => path !== '';

/** The cases of a shell that find the command among the words before the cursor. */
function pathCases(nodes: readonly CompletionNode[]): string {
  return nodes
    .filter(isPath)
    .map(({ path }) => quoted(path))
    .join('|');
}

/** The cases of flags that take one of a few words: `PATH|FLAG) ACTION`. */
function choiceCases(nodes: readonly CompletionNode[], action: (words: string) => string): readonly string[] {
  return nodes.flatMap(({ path, choices }) =>
    choices.map(({ flag, words }) => `    ${quoted(`${path}|${flag}`)}) ${action(words.join(' '))} ;;`),
  );
}

/** The flags that take any value, of all commands: no two commands have one of the same name without one. */
function valuedFlags(nodes: readonly CompletionNode[]): string {
  return [...new Set(nodes.flatMap(({ valued }) => valued))]
    .map((flag) => `*${quoted(`|${flag}`)}`)
    .join('|');
}

const bashWords = (words: string) => `COMPREPLY=($(compgen -W ${quoted(words)} -- "$current")); return`;

function toBash(nodes: readonly CompletionNode[]): string {
  return `# Completion of event-query for bash: event-query completion bash
_event_query() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command='' longer i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    longer="\${command:+$command }\${COMP_WORDS[i]}"
    case "$longer" in
      ${pathCases(nodes)}) command=$longer ;;
    esac
  done
  case "$command|$previous" in
${choiceCases(nodes, bashWords).join('\n')}
    ${valuedFlags(nodes)}) return ;;
  esac
  local words='' flags=''
  case "$command" in
${nodes
  .map(
    ({ path, words, flags }) => `    ${quoted(path)}) words='${wordsOf(words)}' flags='${wordsOf(flags)}' ;;`,
  )
  .join('\n')}
  esac
  [[ $current == -* ]] && words=$flags
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _event_query event-query
`;
}

/** A word with its meaning, as \`_describe\` takes them. */
const described = ({ word, about }: CompletionWord) =>
  quoted(`${word.replaceAll(':', '\\:')}:${oneLine(about)}`);

const describedAll = (words: readonly CompletionWord[]) => words.map(described).join(' ');

/** Descriptions are one line, without what a shell would read as more than a character. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

const zshWords = ({ path, words, flags }: CompletionNode) =>
  `    ${quoted(path)}) next=(${describedAll(words)}); flags=(${describedAll(flags)}) ;;`;

function toZsh(nodes: readonly CompletionNode[]): string {
  return `#compdef event-query
# Completion of event-query for zsh: event-query completion zsh
_event_query() {
  local current=\${words[CURRENT]} previous=\${words[CURRENT-1]} command='' longer i
  local -a next flags
  for ((i = 2; i < CURRENT; i++)); do
    longer="\${command:+$command }\${words[i]}"
    case "$longer" in
      ${pathCases(nodes)}) command=$longer ;;
    esac
  done
  case "$command|$previous" in
${choiceCases(nodes, (words) => `compadd -- ${words}; return`).join('\n')}
    ${valuedFlags(nodes)}) _files; return ;;
  esac
  case "$command" in
${nodes.map(zshWords).join('\n')}
  esac
  if [[ $current == -* ]]; then _describe flag flags
  elif (( \${#next} )); then _describe command next
  else _files
  fi
}
if [[ \${funcstack[1]} == _event_query ]]; then _event_query "$@"
else compdef _event_query event-query
fi
`;
}

/** A quoted word of fish, where a backslash escapes within quotes. */
const fishQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;

function toFish(nodes: readonly CompletionNode[]): string {
  const paths = nodes
    .filter(isPath)
    .map(({ path }) => fishQuoted(path))
    .join(' ');
  const lines = nodes.flatMap((node) => {
    const at = `complete -c event-query -n ${fishQuoted(`__event_query_at ${fishQuoted(node.path)}`)}`;
    const words = node.words.map(({ word, about }) => `${at} -f -a ${word} -d ${fishQuoted(oneLine(about))}`);
    const flags = node.flags.map(({ word, about }) => {
      const choice = node.choices.find(({ flag }) => flag === word);
      const takes =
        choice === undefined
          ? node.valued.includes(word)
            ? ' -r'
            : ''
          : ` -x -a ${fishQuoted(choice.words.join(' '))}`;
      return `${at} -l ${word.slice(2)}${takes} -d ${fishQuoted(oneLine(about))}`;
    });
    return [...words, ...flags];
  });
  return `# Completion of event-query for fish: event-query completion fish
function __event_query_at
  set -l command ''
  for word in (commandline -opc)[2..]
    set -l longer (string trim "$command $word")
    contains -- $longer ${paths}; and set command $longer
  end
  test "$command" = "$argv[1]"
end
${lines.join('\n')}
`;
}
