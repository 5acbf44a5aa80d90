/** The pixels of an image. Nobody decodes it here; whoever looks at it does, and must be able to. */
export type ImageSize = { width: number; height: number }

/** What is wrong with the bytes of a file, as the end of a sentence about it. */
export class BrokenContent extends Error {}

const MAX_MEGAPIXELS = 64

/** Refuses an image of more pixels than a phone takes: a small file can be one of many gigabytes when it is decoded. */
export function refuseHuge({ width, height }: ImageSize): void {
  if (width === 0 || height === 0) throw new BrokenContent('is an image without pixels')
  if (width * height > MAX_MEGAPIXELS * 1_000_000) {
    throw new BrokenContent(
      `is an image of ${width} × ${height} pixels; at most ${MAX_MEGAPIXELS} megapixels are accepted`
    )
  }
}
