export { eraseRegularly } from './retention.ts';
export { serve, type ServeOptions, type ServedFile } from './serve.ts';
