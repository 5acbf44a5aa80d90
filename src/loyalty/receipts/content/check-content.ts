import { BrokenContent } from './image-size.ts'
import { checkJpeg, isJpeg } from './jpeg.ts'
import { checkPdf, isPdf } from './pdf.ts'
import { checkPng, isPng } from './png.ts'
import { checkWebp, isWebp } from './webp.ts'

export const MAX_FILE_BYTES = 5 * 1024 * 1024

/** What the file of a receipt may be. */
export const CONTENT_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const
export type ContentType = (typeof CONTENT_TYPES)[number]

export const ACCEPTED_FILE = 'a JPEG, PNG or WebP image or a PDF of at most 5 MB'

const KINDS: [type: ContentType, is: (bytes: Buffer) => boolean, check: (bytes: Buffer) => void][] = [
  ['image/jpeg', isJpeg, checkJpeg],
  ['image/png', isPng, checkPng],
  ['image/webp', isWebp, checkWebp],
  ['application/pdf', isPdf, checkPdf]
]

/**
 * What a file is by its bytes, whatever name and type it was sent with, or what is wrong with it. It is read through, not decoded: one that
 * breaks off, is damaged, or would be huge when it is shown, is refused.
 */
export function checkContent(bytes: Buffer): { type: ContentType } | { problem: string } {
  if (bytes.length === 0) return { problem: `is empty; it must be ${ACCEPTED_FILE}` }
  if (bytes.length > MAX_FILE_BYTES) return { problem: 'must be at most 5 MB' }
  const kind = KINDS.find(([, is]) => is(bytes))
  if (!kind) return { problem: `must be ${ACCEPTED_FILE}` }
  const [type, , check] = kind
  try {
    check(bytes)
    return { type }
  } catch (err) {
    if (err instanceof BrokenContent) return { problem: err.message }
    throw err
  }
}
