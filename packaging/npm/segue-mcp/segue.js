#!/usr/bin/env node
// Starts the program that came with the package of this platform. Nothing is downloaded and nothing is run at
// installation.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const platform = `${process.platform}-${process.arch}`;
const name = `segue-mcp-${platform}`;

let program;
try {
  program = require.resolve(`${name}/segue`);
} catch {
  console.error(
    `segue: the package ${name} is not installed. If your platform is ${platform} and optional packages were left ` +
      'out, install again with them; otherwise build Segue with cargo.',
  );
  process.exit(1);
}

// The program has our standard input and output themselves, so nothing is copied and an end of input reaches it.
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => {
  console.error(`segue: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('exit', (code, signal) => {
  // As a shell tells it; dying by the signal ourselves would race with the handlers above.
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
});
