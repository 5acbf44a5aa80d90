import { BrokenContent, refuseHuge } from './image-size.ts'

const MARK = 0xff
const START = 0xd8
const END = 0xd9
const SCAN = 0xda

export const isJpeg = (bytes: Buffer): boolean => bytes[0] === MARK && bytes[1] === START && bytes[2] === MARK

/** Reads every segment up to the end of the image. Phones put more behind it, such as a moment of film. */
export function checkJpeg(bytes: Buffer): void {
  let hasSize = false
  let at = 2
  for (;;) {
    if (bytes[at] !== MARK) throw at < bytes.length ? damaged() : cutOff()
    while (bytes[at] === MARK) at++
    const marker = bytes[at++]
    if (marker === undefined) throw cutOff()
    if (marker === END) {
      if (!hasSize) throw damaged()
      return
    }
    if (marker === START || marker === 0) throw damaged()
    if (isAlone(marker)) continue
    if (at + 2 > bytes.length) throw cutOff()
    const length = bytes.readUInt16BE(at)
    if (length < 2) throw damaged()
    if (at + length > bytes.length) throw cutOff()
    if (isFrame(marker)) {
      if (length < 8) throw damaged()
      refuseHuge({ height: bytes.readUInt16BE(at + 3), width: bytes.readUInt16BE(at + 5) })
      hasSize = true
    }
    at += length
    if (marker !== SCAN) continue
    if (!hasSize) throw damaged()
    at = endOfScan(bytes, at)
  }
}

/** Where the next marker is after compressed data, in which 0xff is followed by 0 or by a mark to start again. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== MARK) continue
    const next = bytes[at + 1]!
    // Of several marks in a row the last one counts.
    if (next !== 0 && next !== MARK && !isRestart(next)) return at
  }
  throw cutOff()
}

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7
const isAlone = (marker: number) => isRestart(marker) || marker === 0x01
/** SOF0 to SOF15; three numbers among them are other segments. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const cutOff = () => new BrokenContent('is a JPEG that breaks off')
const damaged = () => new BrokenContent('is a damaged JPEG')
