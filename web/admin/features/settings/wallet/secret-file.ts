/** Larger than any key or certificate: such a file is another one, and is not read. */
const MAX_BYTES = 50_000

/** The text of a file with a secret; empty without one. */
export const textOf = async (file: File | null): Promise<string> => (file === null ? '' : file.text())

/** Why a file that was chosen is not sent. */
export function refusedFile(file: File | null, texts: { needed: string; tooLarge: string }): string | null {
  if (file === null) return texts.needed
  return file.size > MAX_BYTES ? texts.tooLarge : null
}
