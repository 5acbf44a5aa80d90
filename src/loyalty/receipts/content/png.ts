import { crc32 } from 'node:zlib'
import { BrokenContent, refuseHuge } from './image-size.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Length, type and checksum of a chunk. */
const AROUND = 12
const HEADER_BYTES = 13
/** Encoders write rows in chunks of some kilobytes. */
const MAX_CHUNKS = 20_000

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)

/** Reads every chunk, whose checksums must be right: from the header to the end, which must be that of the file. */
export function checkPng(bytes: Buffer): void {
  let hasData = false
  let at = SIGNATURE.length
  for (let chunk = 0; ; chunk++) {
    if (chunk === MAX_CHUNKS || at + AROUND > bytes.length) throw cutOff()
    const length = bytes.readUInt32BE(at)
    const end = at + AROUND + length
    if (end > bytes.length) throw cutOff()
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) throw damaged()
    if ((chunk === 0) !== (type === 'IHDR')) throw damaged()
    if (type === 'IHDR') {
      if (length !== HEADER_BYTES) throw damaged()
      refuseHuge({ width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) })
    }
    if (type === 'IDAT') hasData = true
    if (type === 'IEND') {
      if (!hasData || length > 0 || end !== bytes.length) throw damaged()
      return
    }
    at = end
  }
}

const cutOff = () => new BrokenContent('is a PNG that breaks off')
const damaged = () => new BrokenContent('is a damaged PNG')
