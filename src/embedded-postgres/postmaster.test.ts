import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { isAlive, isPostmaster, stopPostmaster } from './postmaster.ts'

const places = { dataDir: '/nowhere', cluster: '/nowhere/postgres', password: '', log: '' }
const runtime = { version: '', program: () => '' }

test('a stop returns when the process has ended, not when it only has no command line any more', async (t) => {
  if (process.platform !== 'linux') return t.skip('only on Linux does a process lose its command line first')
  // On SIGINT it loses its command line, as each process does at its end, and ends a while later.
  const program = `
    process.on('SIGINT', () => {
      process.title = ''
      setTimeout(() => process.exit(), 500)
    })
    setInterval(() => {}, 1000)
    console.log('ready')`
  const child = spawn(process.execPath, ['--eval', program, '--', `perennial.cluster=${places.cluster}`], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  assert.equal(await isPostmaster(child.pid!, places), true)

  await stopPostmaster(child.pid!, places, runtime)
  assert.equal(isAlive(child.pid!), false)
})
