import { register } from 'node:module';

/**
 * Gives the column index segments of eight rows, whatever is loaded from here on: logs of some hundred events
 * then cross every boundary of segments and blocks.
 */
const hooks = `
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    const url = found.url.replace('/src/core/columns/log/sizes.ts', '/test/support/small-sizes.ts');
    return { ...found, url };
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
