import type { LiveAttack } from './arena.ts';
import { dearQuestions, dearTables, forgedTails, goneClients, growingLog } from './dear.ts';
import { denseBatches, diskByGzip, eventNames } from './ingestion.ts';
import { columnsOnDisk, freshOperands, freshTexts, manyPaths } from './paths.ts';
import { hangingKeySet, revokedMeanwhile, slowBodies } from './slow.ts';
import { strangers } from './strangers.ts';
import { invented, keySets, unreadLog } from './tokens.ts';
import { deletedMeanwhile, deletedTenant, fileModes } from './traces.ts';
import { largestPage, pipelines, unreadPages } from './unread.ts';
import { collisions, largeValues, ties } from './values.ts';
import { wrappedBodies } from './wrapped.ts';

/** Every attack on what a server promises to bear. */
export const ATTACKS: readonly LiveAttack[] = [
  ...pipelines,
  ...strangers,
  freshOperands,
  freshTexts,
  manyPaths,
  ...largeValues,
  eventNames,
  ...collisions,
  ...denseBatches,
  ...wrappedBodies,
  diskByGzip,
  ...slowBodies,
  hangingKeySet,
  unreadPages,
  largestPage,
  ...dearQuestions,
  ...dearTables,
  forgedTails,
  goneClients,
  columnsOnDisk,
  deletedTenant,
  deletedMeanwhile,
  fileModes,
  keySets,
  invented,
  unreadLog,
  revokedMeanwhile,
  ties,
  growingLog,
];

/** Those that a quick run has: their defects show within seconds, at sizes that each says for itself. */
export const QUICK: ReadonlySet<string> = new Set([
  'pipeline-1',
  'pipeline-3',
  'strangers-1',
  'strangers-3',
  'many-paths',
  'large-values-32',
  'colliding-doubles',
  'dense-events-of-many-keys',
  'wrapped-halves-of-characters-in-base64',
  'wrapped-pluses-in-a-form',
  'disk-by-gzip',
  'slow-bodies-1',
  'hanging-key-set',
  'unread-pages',
  'forged-tails',
  'gone-clients',
  'deleted-tenant',
  'deleted-meanwhile',
  'file-modes',
  'invented-tokens',
  'unread-log',
  'revoked-meanwhile',
  'ties',
]);
