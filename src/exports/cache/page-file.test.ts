import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type FileHandle, mkdtemp, open, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { PageFile } from './page-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'perennial-page-file-'))
after(() => rm(folder, { recursive: true }))

/** Reads a page through a file, and returns the file once it is known whether everything is in it. */
async function through(source: Readable, { maxBytes = 100, into = folder } = {}) {
  const file = new PageFile()
  const ended = Promise.withResolvers<void>()
  const read = text(file.keep(source, { folder: into, maxBytes, onEnd: ended.resolve })).catch((err: Error) => err)
  await ended.promise
  return { file, read: await read }
}
/** What the links of a folder point to; some may be gone meanwhile. */
const readlinks = async (path: string) =>
  Promise.all((await readdir(path)).map((name) => readlink(join(path, name)).catch(() => '')))
const chunks = () => Readable.from([Buffer.from('one '), Buffer.from('two')])

test('what was read once is read again, by several at once, and nothing is left in the folder', async () => {
  const { file, read } = await through(chunks())
  assert.equal(read, 'one two')
  assert.ok(file.isWhole)
  assert.deepEqual(await Promise.all([text(file.read()), text(file.read())]), ['one two', 'one two'])
  assert.deepEqual(await readdir(folder), [])
  file.drop()
  assert.throws(() => file.read())
})

test('who reads when it is dropped reads to the end', async () => {
  const { file } = await through(chunks())
  const reading = file.read()
  file.drop()
  assert.equal(await text(reading), 'one two')
  assert.equal(file.isWhole, false)
})

test('whoever leaves while it is read closes it for nobody: later readers get this page, and files that others open stay open', async () => {
  const page = Buffer.alloc(3_000_000, 'one page, and no other. ')
  const { file } = await through(Readable.from([page]), { maxBytes: 10_000_000 })
  const others = await mkdtemp(join(tmpdir(), 'perennial-other-files-'))
  after(() => rm(others, { recursive: true }))
  const handles: FileHandle[] = []
  after(() => Promise.all(handles.map((handle) => handle.close())))
  for (const until of ['the first bytes', 'the end'] as const) {
    const reading = file.read()
    const closed = once(reading, 'close')
    if (until === 'the end') await text(reading)
    else reading.once('data', () => reading.destroy())
    await closed
    // A number that is free is given to the next file.
    const name = join(others, until)
    await writeFile(name, Buffer.alloc(3_000_000, 'of somebody else'))
    handles.push(await open(name))
    assert.equal(await text(file.read()), page.toString())
  }
  file.drop()
  await pause(50)
  for (const other of handles) assert.equal((await other.stat()).size, 3_000_000)
})

test('it is closed when it was dropped and its last reader has left, also one that never reads to the end', async () => {
  const openPages = async () =>
    (await readlinks('/proc/self/fd')).filter((path) => path.includes('perennial-page-file-')).length
  if (process.platform !== 'linux') return
  const before = await openPages()
  const { file } = await through(Readable.from([Buffer.alloc(3_000_000)]), { maxBytes: 10_000_000 })
  assert.equal(await openPages(), before + 1)
  const [whole, left] = [file.read(), file.read()]
  await once(left, 'readable')
  left.read()
  file.drop()
  left.destroy()
  await once(left, 'close')
  await pause(50)
  assert.equal(await openPages(), before + 1)
  // Nothing but reading ends it: a response does not destroy what it has sent.
  await new Promise((resolve) => whole.resume().once('end', resolve))
  await pause(50)
  assert.equal(await openPages(), before)
})

test('a reader that takes nothing is given up, and one that takes its time is not', async () => {
  const bytes = Buffer.alloc(3_000_000, 'x')
  const file = new PageFile({ stalledMs: 200 })
  const ended = Promise.withResolvers<void>()
  await buffer(file.keep(Readable.from([bytes]), { folder, maxBytes: 10_000_000, onEnd: ended.resolve }))
  await ended.promise
  const idle = file.read()
  await new Promise((resolve) => idle.once('close', resolve))
  await assert.rejects(buffer(idle), /takes nothing/)
  const slow: Buffer[] = []
  for await (const chunk of file.read()) {
    slow.push(chunk)
    await pause(50)
  }
  assert.ok(Buffer.concat(slow).equals(bytes))
  file.drop()
})

test('a source that fails leaves nothing whole, and the reader gets its error', async () => {
  const failing = Readable.from(
    (async function* () {
      yield Buffer.from('one ')
      await pause(100)
      throw new Error('broken')
    })()
  )
  const { file, read } = await through(failing)
  assert.match(String(read), /broken/)
  assert.equal(file.isWhole, false)
})

test('a page that is too large, and one that cannot be written, is passed on in whole and not kept', async () => {
  const large = await through(chunks(), { maxBytes: 6 })
  assert.deepEqual([large.read, large.file.isWhole], ['one two', false])
  const nowhere = await through(chunks(), { into: join(folder, 'missing') })
  assert.deepEqual([nowhere.read, nowhere.file.isWhole], ['one two', false])
})

test('a file that was opened while its reader left is closed all the same', async () => {
  const openFiles = async () => (await readdir('/proc/self/fd').catch(() => [])).length
  const before = await openFiles()
  for (let n = 0; n < 40; n++) {
    const file = new PageFile()
    const ended = Promise.withResolvers<void>()
    const copy = file.keep(chunks(), { folder, maxBytes: 100, onEnd: ended.resolve })
    copy.on('error', () => {})
    // The first chunk is there, and its file is being opened.
    setImmediate(() => copy.destroy(new Error('left')))
    await ended.promise
    file.drop()
  }
  await pause(200)
  assert.ok((await openFiles()) <= before + 3)
  assert.deepEqual(await readdir(folder), [])
})
