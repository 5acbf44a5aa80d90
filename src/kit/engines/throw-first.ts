/** Throws the first error of what has ended, if any failed. To be called last: what succeeded is used before. */
export function throwFirst(ended: readonly PromiseSettledResult<unknown>[]): void {
  const failed = ended.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
}
