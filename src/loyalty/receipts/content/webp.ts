import { BrokenContent, type ImageSize, refuseHuge } from './image-size.ts'

/** Name and length of a chunk. */
const HEAD = 8
const BEGIN = 12

export const isWebp = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, BEGIN) === 'WEBP'

/** Reads every chunk; the container must be as long as the file. */
export function checkWebp(bytes: Buffer): void {
  const stated = HEAD + bytes.readUInt32LE(4)
  if (stated > bytes.length) throw cutOff()
  if (stated !== bytes.length) throw damaged()
  let hasImage = false
  let at = BEGIN
  while (at < bytes.length) {
    if (at + HEAD > bytes.length) throw cutOff()
    const name = bytes.toString('latin1', at, at + 4)
    const data = bytes.subarray(at + HEAD, at + HEAD + bytes.readUInt32LE(at + 4))
    const end = at + HEAD + bytes.readUInt32LE(at + 4)
    if (end > bytes.length) throw cutOff()
    const size = sizeIn(name, data)
    if (size) refuseHuge(size)
    if (at === BEGIN && !size) throw damaged()
    hasImage ||= ['VP8 ', 'VP8L', 'ANMF'].includes(name)
    // Chunks are padded to an even length.
    at = end + (end % 2)
  }
  if (!hasImage) throw damaged()
}

/** The size that a chunk says; null for one that says none. */
function sizeIn(name: string, data: Buffer): ImageSize | null {
  if (name === 'VP8X') {
    if (data.length < 10) throw damaged()
    return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 }
  }
  if (name === 'VP8 ') {
    // A key frame, and the three bytes with which it starts.
    if (data.length < 10 || data[0]! & 1 || data.readUIntBE(3, 3) !== 0x9d012a) throw damaged()
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
  }
  if (name === 'VP8L') {
    if (data.length < 5 || data[0] !== 0x2f) throw damaged()
    const bits = data.readUInt32LE(1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  return null
}

const cutOff = () => new BrokenContent('is a WebP that breaks off')
const damaged = () => new BrokenContent('is a damaged WebP')
