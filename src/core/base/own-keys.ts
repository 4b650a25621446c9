/** Sets a key as JSON does: `__proto__` is a key like any other. Returns the value. */
export function setOwn<Value>(object: Record<string, unknown>, key: string, value: Value): Value {
  // Plain assignment is quicker, and enough for every other key.
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
  return value;
}
