import { BrokenContent } from './image-size.ts'

/** Where readers look for the end of a PDF. */
const TAIL_BYTES = 2048

export const isPdf = (bytes: Buffer): boolean => /^%PDF-[12]\.\d/.test(bytes.toString('latin1', 0, 8))

/** Has a body, and at its end the place of its table of contents. */
export function checkPdf(bytes: Buffer): void {
  const tail = bytes.subarray(-TAIL_BYTES).toString('latin1')
  const [, offset] = /startxref\s+(\d{1,10})\s+%%EOF\s*$/.exec(tail) ?? []
  if (offset === undefined) throw new BrokenContent('is a PDF that breaks off')
  if (Number(offset) >= bytes.length || !bytes.includes(' obj')) throw new BrokenContent('is a damaged PDF')
}
