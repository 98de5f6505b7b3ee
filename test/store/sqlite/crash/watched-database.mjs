const STATEMENT_VERBS = new Set(['run', 'get', 'all']);
const DATABASE_VERBS = new Set(['exec', 'pragma']);

/** The database as it is, but `around` stands around each statement that it executes. */
export function watchedDatabase(db, around) {
  const watchedStatement = (statement, text) =>
    proxy(statement, (name, call) => (STATEMENT_VERBS.has(name) ? (...values) => around(text, () => call(...values)) : call));
  return proxy(db, (name, call) => {
    if (name === 'prepare') return (text) => watchedStatement(call(text), text);
    if (!DATABASE_VERBS.has(name)) return call;
    return (text, ...rest) => around(name === 'pragma' ? `PRAGMA ${text}` : text, () => call(text, ...rest));
  });
}

function proxy(target, wrap) {
  return new Proxy(target, {
    get: (_, name) => {
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? wrap(name, value.bind(target)) : value;
    },
  });
}
