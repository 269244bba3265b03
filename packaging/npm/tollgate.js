#!/usr/bin/env node
// Starts the binary of the package for this platform. Every failure exits with 2: for a hook that means "refused", and a
// gate that cannot run must not let a call through.
"use strict";

const { spawnSync } = require("node:child_process");

function fail(why) {
  console.error(`tollgate: ${why}`);
  process.exit(2);
}

const name = `@tollgate/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/tollgate`);
} catch {
  fail(`the package ${name} is not installed. Reinstall tollgate with optional dependencies, ` +
    `or see https://github.com/tollgate-dev/tollgate for other ways to install it.`);
}

const { error, signal, status } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) fail(`cannot start ${program}: ${error.message}`);
if (signal) fail(`${program} was ended by ${signal}`);
process.exit(status);
