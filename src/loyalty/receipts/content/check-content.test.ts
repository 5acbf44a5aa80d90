import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aJpeg, aPdf, aPng, aWebp } from '../../../../test/receipt-samples.ts'
import { checkContent, MAX_FILE_BYTES } from './check-content.ts'

const MAKERS = { 'image/png': aPng, 'image/jpeg': aJpeg, 'image/webp': aWebp, 'application/pdf': aPdf }
const problemOf = (bytes: Buffer) => {
  const found = checkContent(bytes)
  return 'problem' in found ? found.problem : null
}

for (const [type, make] of Object.entries(MAKERS)) {
  test(`a ${type} is known by its bytes`, () => {
    assert.deepEqual(checkContent(make('Hello')), { type })
  })

  test(`a ${type} that breaks off anywhere is refused`, () => {
    const whole = make('Hello')
    // What follows the end of a PDF is one line feed.
    for (let length = 0; length < whole.length - (type === 'application/pdf' ? 1 : 0); length++) {
      assert.notEqual(problemOf(whole.subarray(0, length)), null, `${length} of ${whole.length} bytes`)
    }
  })

  test(`a ${type} with random bytes behind its beginning ends with a type or a problem`, () => {
    const random = Buffer.from(make(''))
    for (let seed = 1; seed <= 300; seed++) {
      for (let at = 12; at < random.length; at++) random[at] = (seed * 7919 * (at + 1)) >> (seed % 9)
      const found = checkContent(random)
      assert.ok('type' in found || found.problem.length > 0)
    }
  })
}

test('an image that would be huge when it is shown is refused, at each limit', () => {
  for (const make of [aPng, aJpeg, aWebp]) {
    assert.equal(problemOf(make('', { width: 8000, height: 8000 })), null)
    assert.match(problemOf(make('', { width: 8001, height: 8000 }))!, /8001 × 8000 pixels; at most 64 megapixels/)
  }
  assert.match(problemOf(aPng('', { width: 0xffffffff, height: 0xffffffff }))!, /at most 64 megapixels/)
  assert.match(problemOf(aPng('', { width: 0, height: 2 }))!, /without pixels/)
})

test('a second frame of a JPEG cannot hide a huge one', () => {
  const small = aJpeg()
  const huge = aJpeg('', { width: 65_535, height: 65_535 })
  const frameAt = huge.indexOf(Buffer.from([0xff, 0xc0]))
  const both = Buffer.concat([small.subarray(0, small.indexOf(Buffer.from([0xff, 0xda]))), huge.subarray(frameAt)])
  assert.match(problemOf(both)!, /at most 64 megapixels/)
})

test('what phones put behind a JPEG is accepted; behind other images nothing is', () => {
  assert.equal(problemOf(Buffer.concat([aJpeg(), Buffer.from('a moment of film')])), null)
  for (const image of [aPng(), aWebp()]) {
    assert.match(problemOf(Buffer.concat([image, Buffer.from('<script>')]))!, /damaged/)
  }
})

test('a wrong checksum in a PNG is found', () => {
  const png = aPng('Hello')
  png[png.indexOf('Hello')]! ^= 1
  assert.match(problemOf(png)!, /damaged PNG/)
})

test('other types, under whatever name, are refused with what is accepted', () => {
  for (const other of [
    '<!doctype html><script>alert(1)</script>',
    '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    'GIF89a\x01\0\x01\0\0\0\0;',
    'BM\0\0',
    'MZ',
    'PK\x03\x04',
    '\0\0\0\x18ftypheic',
    '\n%PDF-1.4\n1 0 obj startxref\n0\n%%EOF'
  ]) {
    assert.match(problemOf(Buffer.from(other, 'latin1'))!, /^must be a JPEG, PNG or WebP image or a PDF/, other)
  }
  assert.match(problemOf(Buffer.alloc(0))!, /is empty/)
  assert.match(problemOf(Buffer.alloc(MAX_FILE_BYTES + 1))!, /at most 5 MB/)
})

test('the worst five megabytes are read in less than a second', () => {
  const marks = Buffer.alloc(MAX_FILE_BYTES, 0xff)
  const filled = (head: Buffer, pair: number[]) => {
    const bytes = Buffer.alloc(MAX_FILE_BYTES, Buffer.from(pair))
    head.copy(bytes)
    return bytes
  }
  const scan = aJpeg().subarray(0, -11)
  const spaces = filled(Buffer.from('%PDF-1.4 '), [0x20, 0x31])
  const tiny = Buffer.concat([aPng().subarray(0, 33), Buffer.alloc(MAX_FILE_BYTES - 33)])
  for (const bytes of [
    filled(scan, [0xff, 0]),
    filled(scan, [0xff, 0xd0]),
    filled(scan, [0xff, 0xff]),
    marks,
    spaces,
    tiny
  ]) {
    const begun = performance.now()
    assert.notEqual(problemOf(bytes), null)
    assert.ok(performance.now() - begun < 5_000)
  }
})
