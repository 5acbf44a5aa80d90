/**
 * The results of statements of one transaction that are sent together, in one round trip; they are carried out in the given order.
 * Where one fails, those after it can only say that the transaction is aborted: throws the first failure.
 */
export async function sentTogether<const T extends readonly unknown[]>(
  ...sent: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(sent)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never
}
