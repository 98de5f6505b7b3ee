#!/usr/bin/env node
// A shim: it holds what must be said before our own code can load. Exit codes here: 2 Node too old, 8 no more files can be opened, 70 not built or a bug.
import { existsSync } from 'node:fs';

const OLDEST_NODE = [20, 19];
const EXIT_USAGE = 2;
const EXIT_STORAGE = 8;
const EXIT_BUG = 70;
const built = new URL('../dist/cli/main.js', import.meta.url);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const tooOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);

function leave(exitCode, text) {
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}

// Node's own exit code for these is 1, which here means "gate not met" and nothing else. An unhandled rejection arrives here too.
process.on('uncaughtException', (error) => {
  if (error?.code === 'EMFILE') {
    const most = process.report.getReport().userLimits?.open_files?.soft ?? 'too few';
    leave(
      EXIT_STORAGE,
      `error[E37]: too many open files (EMFILE): this process may open ${most} (ulimit -n)\nnext: ulimit -n 1024, then the same command again`,
    );
  }
  leave(EXIT_BUG, `error[E99]: ${error instanceof Error ? error.stack : String(error)}\nnext: please report this, it is a bug in aieval`);
});

if (tooOld) {
  leave(
    EXIT_USAGE,
    `error[E25]: aieval needs Node >= ${OLDEST_NODE.join('.')}, this is ${process.versions.node}\nnext: install a newer Node, e.g. nvm install 22`,
  );
} else if (!existsSync(built)) {
  leave(EXIT_BUG, 'error: aieval is not built.\nnext: npm run build');
} else {
  const { runProcess } = await import(built.href);
  await runProcess();
}
