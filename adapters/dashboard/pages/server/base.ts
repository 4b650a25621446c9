/**
 * The URL below which the pages and the API are: the address of the page without the last part of its path. A
 * proxy may serve them below a path.
 */
export const BASE = location.origin + location.pathname.replace(/\/(?:dashboard|sign-in)$/, '');
