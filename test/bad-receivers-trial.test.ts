import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendToBadReceivers } from '../trials/bad-receivers.ts'
import { testDatabase } from './database.ts'

/** A short run without those that hang for the time of a try; `npm run trials` is the long one. */
const KINDS = [
  'status 500',
  'status 410',
  'status 429',
  'status 302',
  'status 308',
  'reset',
  'body of 1 GiB',
  'gzip bomb',
  'untrusted certificate',
  'no TLS'
]

test('whatever is wrong with a receiver, it is recorded as what it is, and memory does not grow', async () => {
  const { db, url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-receivers-'))
  try {
    await sendToBadReceivers({ databaseUrl: url, db, dataDir, kinds: KINDS, each: 5, timesOthers: false, seed: 7 })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
