import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { type FileRecord, readCsvRecords, readLines } from './read-records.ts'

async function* chunksOf(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function recordsOf(text: string | Buffer, size = 7, read = readCsvRecords): Promise<FileRecord[]> {
  const all: FileRecord[] = []
  for await (const records of read(chunksOf(Buffer.from(text), size))) all.push(...records)
  return all
}

const summaryOf = (records: FileRecord[]) => records.map(({ line, fields, problem }) => [line, fields ?? problem])

test('a CSV file with BOM, CRLF, quotes, quoted line ends and empty lines is read the same in chunks of any size', async () => {
  const file = '\ufeffa,b\r\n1,"x, ""y"""\r\n\r\n2,"two\nlines"\r\n3,\r\nlast,é'
  for (const size of [1, 2, 3, 7, 1000]) {
    assert.deepEqual(summaryOf(await recordsOf(file, size)), [
      [1, ['a', 'b']],
      [2, ['1', 'x, "y"']],
      [4, ['2', 'two\nlines']],
      [6, ['3', '']],
      [7, ['last', 'é']]
    ])
  }
})

test('a row that cannot be read is reported as broken and does not affect the others', async () => {
  const bad = Buffer.concat([
    Buffer.from('a,b\n1,"open\n2,x\n3,mid"dle\n4,y\n'),
    Buffer.from([0x35, 0x2c, 0xff, 0x0a]),
    Buffer.from(`6,\0\n7,${'z'.repeat(70_000)}\n8,fine\n"never closed,\n9,w\n`)
  ])
  assert.deepEqual(summaryOf(await recordsOf(bad, 1000)), [
    [1, ['a', 'b']],
    [2, 'has quotes that do not match'],
    [3, ['2', 'x']],
    [4, 'has quotes that do not match'],
    [5, ['4', 'y']],
    [6, 'is not UTF-8'],
    [7, 'contains a NUL character'],
    [8, 'is longer than 64 KiB'],
    [9, ['8', 'fine']],
    [10, 'has quotes that do not match'],
    [11, ['9', 'w']]
  ])
})

test('an unclosed quote does not consume the rest of a long file', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i},row`)
  const records = await recordsOf(`a,b\n1,"open\n${lines.join('\n')}\n`, 65_536)
  assert.equal(records.length, 20_002)
  assert.deepEqual(summaryOf(records.slice(1, 3)), [
    [2, 'has quotes that do not match'],
    [3, ['0', 'row']]
  ])
})

test('lines of NDJSON are split at line ends only', async () => {
  assert.deepEqual(summaryOf(await recordsOf('{"a":"\\""}\n\n{"b":1}\r\n', 5, readLines)), [
    [1, ['{"a":"\\""}']],
    [3, ['{"b":1}']]
  ])
})

test('random CSV files are read as csv-parse reads them', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', '"', '\n', '\r\n', ' ', "'", '=') })
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 40 }), async (cells, size) => {
      const file = cells.map((row) => row.map((c) => `"${c.replaceAll('"', '""')}"`).join(',')).join('\n')
      const expected = parse(file, { relax_column_count: true, record_delimiter: '\n' })
      const read = await recordsOf(file, size)
      assert.deepEqual(
        read.map(({ fields }) => fields),
        expected
      )
    }),
    { numRuns: 300 }
  )
})
