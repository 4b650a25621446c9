import { createClient } from 'redis';
import { endRedis } from '../../../adapters/cli/stores/end-redis.ts';

/** Closes a client while it connects. The process ends if nothing of it is left. */
const client = createClient({ url: `redis://127.0.0.1:${process.argv[2] ?? ''}`, disableOfflineQueue: true });
client.on('error', () => undefined);
client.connect().catch(() => undefined);
endRedis(client);
process.disconnect();
