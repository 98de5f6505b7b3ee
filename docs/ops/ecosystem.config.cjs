// Workers under pm2: pm2 start docs/ops/ecosystem.config.cjs
// AIEVAL_HOME is the folder in which .aieval/ stands; keys come from the environment in which pm2 is started.
const { resolve } = require('node:path');

const WORKERS = 2;
const FIRST_PORT = 9464;
const home = process.env.AIEVAL_HOME ?? process.cwd();

module.exports = {
  apps: Array.from({ length: WORKERS }, (_, n) => ({
    name: `aieval-worker-${n + 1}`,
    cwd: home,
    script: resolve(__dirname, '../../bin/aieval.js'),
    // Each has a port of its own; the log is shared.
    args: ['worker', '--display', 'none', '--metrics', `127.0.0.1:${FIRST_PORT + n}`, '--log-file', 'logs/worker.log'],
    exec_mode: 'fork',
    autorestart: true,
    // Starting again mends neither of these: a wrong line, a missing key. A storage that is full, locked or away (8) may be there again.
    stop_exit_codes: [2, 4],
    restart_delay: 15_000,
    // SIGINT gives calls in flight a minute.
    kill_timeout: 65_000,
  })),
};
