import { hashOf, now } from '../harness.ts';
import { openSqlite, toPeer } from './own-peers.ts';
import { QUESTIONS } from './questions.ts';

const [folder = '', question = '0'] = process.argv.slice(2);
const peer = toPeer(openSqlite(folder));
const start = now();
const count = await peer.count(QUESTIONS[Number(question)]!);
process.send?.({ ns: now() - start, answers: hashOf(count) });
// What a store still keeps for later, such as new columns, is done before it closes.
await peer.close();
process.disconnect();
