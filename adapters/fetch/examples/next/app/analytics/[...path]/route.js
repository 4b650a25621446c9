import { createFetchHandler } from 'event-query/fetch';
import { analytics } from '../../../lib/analytics.js';

// The stores need Node, and each answer is made anew.
export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

let handler;
const handle = async (request) => {
  handler ??= createFetchHandler({ api: await analytics(), prefix: '/analytics' });
  return handler(request);
};

export { handle as GET, handle as OPTIONS, handle as POST };
