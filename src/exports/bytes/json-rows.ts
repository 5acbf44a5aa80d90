import type { CopiedColumn, PagePlan } from '../endpoint.ts'

/** The usual length of a chunk. */
const CHUNK_BYTES = 128 * 1024
/** A byte becomes at most so many: `\u001f`. */
const MAX_GROWTH = 6

const TAB = 9
const NEWLINE = 10
const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const LETTER_N = 78
const LETTER_V = 118
const HEX = Buffer.from('0123456789abcdef')
/** `\u00`, which the two digits of a control byte follow. */
const UNICODE = Buffer.from('\\u00')

/** The bytes that cannot be copied as they are: control bytes, the quote and the backslash. */
const IS_SPECIAL = new Uint8Array(256)
IS_SPECIAL.fill(1, 0, 32)
IS_SPECIAL[QUOTE] = 1
IS_SPECIAL[BACKSLASH] = 1

type Column = {
  /** What stands before the value. */
  prefix: Uint8Array
  /** The same as little-endian words, the last of them filled up. */
  prefixWords: Uint32Array
  isQuoted: boolean
  isOptional: boolean
}

/**
 * Turns the rows of a COPY in text format into JSON. COPY's escapes are those of JSON except `\v`; a quote and the other control
 * bytes come as they are. Chunks go to `onChunk`, each in memory of its own, which it may give away.
 */
export class JsonRows {
  readonly #columns: Column[]
  readonly #prefixBytes: number
  readonly #isKeyed: boolean
  readonly #onChunk: (chunk: Uint8Array<ArrayBuffer>) => void
  #out = new Uint8Array(CHUNK_BYTES)
  #outView = new DataView(this.#out.buffer)
  /** Of the memory in which the driver has the row. */
  #rowView: DataView = new DataView(new ArrayBuffer(0))
  #length = 0
  #hasRows = false
  /** The key of the rows before this one. */
  #key = Buffer.alloc(0)

  constructor(
    { columns, keyed }: Pick<PagePlan, 'columns' | 'keyed'>,
    onChunk: (chunk: Uint8Array<ArrayBuffer>) => void
  ) {
    this.#columns = columns.map(columnOf)
    if (this.#columns[0]?.isOptional) throw new Error('The first column of a row cannot be left out')
    this.#prefixBytes = this.#columns.reduce((sum, { prefix }) => sum + prefix.length + 8, 32)
    this.#isKeyed = keyed
    this.#onChunk = onChunk
  }

  /** Adds JSON as it is. */
  text(json: string): void {
    const bytes = Buffer.from(json)
    this.#makeRoom(bytes.length)
    this.#out.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Adds one row of the COPY, with the newline at its end. */
  row(row: Uint8Array): void {
    this.#makeRoom(this.#prefixBytes + MAX_GROWTH * row.length)
    let at = this.#isKeyed ? this.#startKeyed(row) : this.#startPlain()
    this.#read(row)
    const out = this.#out
    const view = this.#outView
    for (const { prefix, prefixWords, isQuoted, isOptional } of this.#columns) {
      if (at >= row.length) throw new Error(WRONG_COLUMNS)
      const isNull = row[at] === BACKSLASH && row[at + 1] === LETTER_N
      if (isNull && isOptional) {
        at += 3
        continue
      }
      for (let i = 0; i < prefixWords.length; i++) view.setUint32(this.#length + 4 * i, prefixWords[i]!, true)
      this.#length += prefix.length
      if (!isNull) at = this.#value(row, at)
      else {
        at += 3
        if (!isQuoted) for (const byte of NULL) out[this.#length++] = byte
      }
      if (isQuoted) out[this.#length++] = QUOTE
    }
    if (at !== row.length) throw new Error(WRONG_COLUMNS)
    out[this.#length++] = CLOSE
  }

  /**
   * Copies one value, and returns where the next one begins. Four bytes at once where none of them is special, which halves the time
   * of a page.
   */
  #value(row: Uint8Array, start: number): number {
    const out = this.#out
    const outView = this.#outView
    const rowView = this.#rowView
    const rowStart = row.byteOffset
    const wordEnd = row.length - 4
    let at = start
    let to = this.#length
    for (;;) {
      while (at <= wordEnd) {
        const word = rowView.getUint32(rowStart + at, true)
        const quotes = word ^ 0x22222222
        const backslashes = word ^ 0x5c5c5c5c
        const special =
          ((word - 0x20202020) & ~word) |
          ((quotes - 0x01010101) & ~quotes) |
          ((backslashes - 0x01010101) & ~backslashes)
        if ((special & 0x80808080) !== 0) break
        outView.setUint32(to, word, true)
        at += 4
        to += 4
      }
      let byte = row[at++]!
      while (IS_SPECIAL[byte] === 0) {
        out[to++] = byte
        byte = row[at++]!
      }
      if (byte === TAB || byte === NEWLINE) break
      if (byte === QUOTE) {
        out[to++] = BACKSLASH
        out[to++] = QUOTE
      } else if (byte !== BACKSLASH) to = writeControl(out, to, byte)
      else if (row[at] === LETTER_V) {
        at++
        to = writeControl(out, to, 11)
      } else {
        out[to++] = BACKSLASH
        out[to++] = row[at++]!
      }
    }
    this.#length = to
    return at
  }

  /** Ends the rows, adds this JSON and gives away what is left. */
  end(tail: string): void {
    this.text(this.#isKeyed && this.#hasRows ? `]${tail}` : tail)
    this.#flush()
  }

  #startPlain(): number {
    if (this.#hasRows) this.#out[this.#length++] = COMMA
    this.#hasRows = true
    return 0
  }

  /** A row of the same key follows the last one; another key begins an array of its own. */
  #startKeyed(row: Uint8Array): number {
    const end = row.indexOf(TAB)
    const key = row.subarray(0, end)
    const isSame = this.#hasRows && this.#key.equals(key)
    if (isSame) this.#out[this.#length++] = COMMA
    else {
      const digits = Buffer.from(key)
      if (!/^[0-9]+$/.test(digits.toString('latin1'))) throw new Error('The key of a row is not a number')
      const before = `${this.#hasRows ? '],' : ''}"${digits.toString('latin1')}":[`
      this.#length += Buffer.from(before).copy(this.#out, this.#length)
      this.#key = digits
    }
    this.#hasRows = true
    return end + 1
  }

  #write(out: Uint8Array<ArrayBuffer>): void {
    this.#out = out
    this.#outView = new DataView(out.buffer)
  }

  #read(row: Uint8Array): void {
    if (this.#rowView.buffer !== row.buffer) this.#rowView = new DataView(row.buffer)
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#out.length) return
    this.#flush()
    if (bytes > this.#out.length) this.#write(new Uint8Array(bytes))
  }

  #flush(): void {
    if (this.#length === 0) return
    const isFull = this.#length > this.#out.length / 2
    const chunk = isFull ? this.#out.subarray(0, this.#length) : this.#out.slice(0, this.#length)
    if (isFull) this.#write(new Uint8Array(CHUNK_BYTES))
    this.#length = 0
    this.#onChunk(chunk)
  }
}

const NULL = Buffer.from('null')
const WRONG_COLUMNS = 'A row of the COPY does not have the columns of its plan'
const CLOSE = 125

function columnOf({ name, json }: CopiedColumn, place: number): Column {
  const isQuoted = json !== 'bare'
  const prefix = Buffer.from(`${place === 0 ? '{' : ','}${JSON.stringify(name)}:${isQuoted ? '"' : ''}`)
  const padded = Buffer.alloc(Math.ceil(prefix.length / 4) * 4)
  prefix.copy(padded)
  const prefixWords = Uint32Array.from({ length: padded.length / 4 }, (_, word) => padded.readUInt32LE(4 * word))
  return { prefix, prefixWords, isQuoted, isOptional: json === 'optional' }
}

function writeControl(out: Uint8Array, at: number, byte: number): number {
  out.set(UNICODE, at)
  out[at + 4] = HEX[byte >> 4]!
  out[at + 5] = HEX[byte & 15]!
  return at + 6
}
