import { crc32, deflateSync } from 'node:zlib'

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length, 0)
  around.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)])
}

/** A PNG of white pixels. `says` makes its bytes differ; `width` and `height` are what its header says. */
export function aPng(says = '', { width = 3, height = 2 } = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits of grey.
  header[8] = 8
  const rows = deflateSync(Buffer.alloc(8, 255))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from(`Comment\0${says}`)),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0))
  ])
}

const segment = (marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

/** The segments of a JPEG, with compressed data that has marks in it. */
export function aJpeg(says = '', { width = 3, height = 2 } = {}): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0')),
    segment(0xfe, Buffer.from(says)),
    segment(0xc0, frame),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd0, 4, 0xff, 0xff, 0xd9])
  ])
}

/** A lossless WebP. */
export function aWebp(says = '', { width = 3, height = 2 } = {}): Buffer {
  const image = Buffer.alloc(6)
  image[0] = 0x2f
  image.writeUInt32LE((width - 1) | ((height - 1) << 14), 1)
  const part = (name: string, data: Buffer) => {
    const head = Buffer.alloc(8)
    head.write(name, 'latin1')
    head.writeUInt32LE(data.length, 4)
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
  }
  const parts = Buffer.concat([Buffer.from('WEBP'), part('VP8L', image), part('XMP ', Buffer.from(says))])
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1')
  head.writeUInt32LE(parts.length, 4)
  return Buffer.concat([head, parts])
}

/** An empty PDF. */
export function aPdf(says = ''): Buffer {
  const body = `%PDF-1.4\n% ${says}\n1 0 obj\n<< /Type /Catalog >>\nendobj\n`
  return Buffer.from(
    `${body}xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  )
}
