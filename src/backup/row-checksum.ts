import { hash } from 'node:crypto'

const NEWLINE = 0x0a
const MODULUS = 2n ** 128n

/**
 * A checksum over the rows of a table that does not depend on their order, in which a loaded table may have them again: the sum of
 * the first 128 bits of each row's SHA-256. A row is a line in the text format of COPY, where a newline in a value is escaped.
 */
export class RowChecksum {
  rows = 0
  #sum = 0n

  /** Adds whole rows, each with its newline. */
  add(rows: Buffer): void {
    for (let from = 0; from < rows.length; ) {
      const end = rows.indexOf(NEWLINE, from)
      const to = end === -1 ? rows.length : end
      const digest = hash('sha256', rows.subarray(from, to), 'buffer')
      this.#sum += (digest.readBigUInt64BE(0) << 64n) | digest.readBigUInt64BE(8)
      this.rows++
      from = to + 1
    }
    this.#sum %= MODULUS
  }

  /** 32 hexadecimal digits. */
  digest(): string {
    return this.#sum.toString(16).padStart(32, '0')
  }
}
