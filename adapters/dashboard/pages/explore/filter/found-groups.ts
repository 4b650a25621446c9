import type { Breakdown } from '../../../../../src/index.ts';
import type { Group } from '../../../../../src/store-kit.ts';

/** The groups whose value has a text, in any case. */
export function groupsWith(groups: readonly Group[], text: string): readonly Group[] {
  const part = text.trim().toLowerCase();
  return groups.filter(({ key }) => String(key).toLowerCase().includes(part));
}

/** Names a group among others: the number 5 and the text 5 are two. */
export const nameOfGroup = ({ key }: Group): string => JSON.stringify(key);

/** Whether an answer holds all groups that there are, and not only the largest ones. */
export const holdsAll = ({ groups, groupsTotal }: Breakdown): boolean => groups.length === groupsTotal;

/**
 * What looks up how many events an answer has of a group. Undefined where that is not known: only an answer
 * that holds all groups shows that a value is not there.
 */
export function countsOf(answer: Breakdown): (group: Group) => number | undefined {
  const counts = new Map(answer.groups.map((group) => [nameOfGroup(group), group.count]));
  return (group) => counts.get(nameOfGroup(group)) ?? (holdsAll(answer) ? 0 : undefined);
}

/** The groups of several answers to one question, each once, the largest first. */
export function mergeGroups(...answers: readonly (readonly Group[])[]): readonly Group[] {
  const all = new Map(answers.flat().map((group) => [nameOfGroup(group), group]));
  return [...all.values()].sort((a, b) => b.count - a.count);
}

/** How many events have a value of which the answer has no group: it holds the most frequent ones only. */
export function countBeyond({ total, missing, arrays, objects, groups }: Breakdown): number {
  return total - missing - arrays - objects - groups.reduce((sum, { count }) => sum + count, 0);
}
