import { CommandError } from '../command-error.ts'
import type { DataField, Row } from './endpoint.ts'
import { readPart } from './part-file.ts'

const ROWS_OF_GROUP = 20_000

/** Digits after the point: of no currency are there more. */
const SCALE = 4
/** Of a DECIMAL in 64 bits. */
const PRECISION = 18

const DAY_MS = 86_400_000

const epochMs = (time: string): number => Temporal.Instant.from(time).epochMilliseconds

type Format = DataField['format']
type Value = string | number | boolean
type Written = string | bigint | number | boolean | null

/**
 * How each format is in Parquet. An empty text of a date or a decimal is null there. A minute has no zone, as it is the shop's wall
 * time; decimals are exact.
 */
const TYPES = {
  text: { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, written: (value: Value) => String(value) },
  integer: { element: { type: 'INT64' }, written: (value: Value) => BigInt(value) },
  boolean: { element: { type: 'BOOLEAN' }, written: (value: Value) => value },
  decimal: {
    element: { type: 'INT64', converted_type: 'DECIMAL', scale: SCALE, precision: PRECISION },
    written: (value: Value) => scaled(String(value))
  },
  minute: {
    element: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } },
    written: (value: Value) => (value === '' ? null : BigInt(epochMs(`${String(value).replace(' ', 'T')}Z`)))
  },
  day: {
    element: { type: 'INT32', converted_type: 'DATE' },
    written: (value: Value) => (value === '' ? null : epochMs(`${value}T00:00Z`) / DAY_MS)
  }
} as const satisfies Record<Format, { element: object; written: (value: Value) => Written }>

/** Writes the rows of a part file as Parquet (Snappy), and returns nothing until the file is whole. */
export async function writeParquet(
  part: string,
  path: string,
  fields: readonly Pick<DataField, 'name' | 'format'>[]
): Promise<void> {
  // Imported here because no other command needs it.
  const { fileWriter, ParquetWriter } = await import('hyparquet-writer')
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: [
      { name: 'root', num_children: fields.length },
      ...fields.map(({ name, format }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[format].element }))
    ],
    createdBy: 'perennial'
  })
  for await (const rows of readPart(part, ROWS_OF_GROUP)) {
    await writer.write({ columnData: fields.map((field) => column(field, rows)), rowGroupSize: ROWS_OF_GROUP })
  }
  await writer.finish()
}

function column({ name, format }: Pick<DataField, 'name' | 'format'>, rows: Row[]): { name: string; data: Written[] } {
  const written: (value: Value) => Written = TYPES[format].written
  return {
    name,
    data: rows.map((row) => {
      const value = row[name]
      try {
        return value === undefined ? null : written(value)
      } catch (err) {
        throw new CommandError(
          'invalid_request',
          `${name} of a row is no ${format}: ${value} (${(err as Error).message})`
        )
      }
    })
  }
}

/** `-12.5` as -125000, in units of the scale; null for an empty text. */
function scaled(text: string): bigint | null {
  if (text === '') return null
  const [, sign = '', whole, part = ''] = /^(-?)(\d{1,14})(?:\.(\d{1,4}))?$/.exec(text) ?? []
  if (whole === undefined)
    throw new RangeError(`it must have up to ${PRECISION - SCALE} digits, and ${SCALE} after the point`)
  return BigInt(`${sign}${whole}${part.padEnd(SCALE, '0')}`)
}
