import type { Connector } from '#platform'
import { platformUnavailable } from './resolve-customer.ts'

/** Of telephone numbers with their country code (E.164). */
const MIN_DIGITS = 7
const MAX_DIGITS = 15

/** A telephone number with its country code, as people write it, in the form of the platform; null for any other text. */
export function phoneIn(text: string): string | null {
  if (!/^\s*\+[\d\s()./-]+$/.test(text)) return null
  // Which those who call from abroad leave out: +43 (0)664 1234567.
  const digits = text.replace('(0)', '').replace(/\D/g, '')
  return digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS ? `+${digits}` : null
}

/** The platform's id of the customer with a telephone number, which only the platform knows: we keep none. Null for nobody. */
export async function findCustomerWithPhone(
  { customers }: Pick<Connector, 'customers'>,
  phone: string
): Promise<string | null> {
  const found = await customers.findByPhone(phone)
  if (!found.ok) throw platformUnavailable(found.failure.message)
  return found.value
}
