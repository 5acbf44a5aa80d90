import type { Transform } from 'node:stream'
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib'
import type { Encoding } from './messages.ts'

/** The fastest level of each: rows of an export shrink to a tenth with it, and the next levels cost more than they save. */
export function createCompressor(encoding: Exclude<Encoding, 'identity'>): Transform {
  switch (encoding) {
    case 'gzip':
      return createGzip({ level: 1 })
    case 'br':
      return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
    case 'zstd':
      return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } })
  }
}
