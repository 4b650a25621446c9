import { nodeResources } from '../../adapters/node-http/index.ts';
import { createEngine } from '../../src/index.ts';
import { hashOf, now } from '../harness.ts';
import { FIRST_QUESTIONS } from './first-questions.ts';
import { openSqlite, TENANT } from './own-peers.ts';

const [folder = '', question = '0'] = process.argv.slice(2);
const stores = openSqlite(folder);
const events = createEngine({ events: stores.events, resources: nodeResources() }).tenant(TENANT);
const start = now();
const answer = await FIRST_QUESTIONS[Number(question)]!.ask(events);
process.send?.({ ns: now() - start, answers: hashOf(answer) });
// What a store still keeps for later, such as new columns, is done before it closes.
await stores.close();
process.disconnect();
